#include "base/nearest.h"

#include <stdbool.h>

static bool is_nearer(const orffi_neighbour *a, const orffi_neighbour *b) {
    return a->distance < b->distance || (a->distance == b->distance && a->row < b->row);
}

/* By parting about a pivot until place `count` has what it would have if all were sorted (Hoare 1961). */
void orffi_nearest_first(orffi_neighbour *list, size_t n, size_t count) {
    size_t low = 0, high = n - 1;
    while (low < high) {
        const orffi_neighbour pivot = list[low + (high - low) / 2];
        size_t left = low, right = high;
        while (true) {
            while (is_nearer(&list[left], &pivot)) left++;
            while (is_nearer(&pivot, &list[right])) right--;
            if (left >= right) break;
            const orffi_neighbour kept = list[left];
            list[left++] = list[right];
            list[right--] = kept;
        }
        if (count <= right)
            high = right;
        else
            low = right + 1;
    }
}
