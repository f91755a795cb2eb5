// Which points lie nearest to one: a tree of halves. points: count x d numbers.

const LEAF = 16;

export class Tree {
  constructor(points, d) {
    this.points = points;
    this.d = d;
    this.order = Uint32Array.from({ length: points.length / d }, (_, i) => i);
    this.root = this.halve(0, this.order.length);
  }

  // A node of order[first] to before order[end].
  halve(first, end) {
    if (end - first <= LEAF) return { first, end };
    const { d, points } = this;
    let axis = 0, widest = -1;
    for (let i = 0; i < d; i++) {
      let low = Infinity, high = -Infinity;
      for (let n = first; n < end; n++) {
        const value = points[this.order[n] * d + i];
        if (value < low) low = value;
        if (value > high) high = value;
      }
      if (high - low > widest) [widest, axis] = [high - low, i];
    }
    const middle = (first + end) >> 1;
    this.order.subarray(first, end).sort((a, b) => points[a * d + axis] - points[b * d + axis]);
    return { axis, at: points[this.order[middle] * d + axis], left: this.halve(first, middle), right: this.halve(middle, end) };
  }

  // The k nearest to x go to found, nearest first, with their squared distances; returns how many they are.
  find(x, k, found, distances) {
    this.asked = { x, k, found, distances };
    this.count = 0;
    this.visit(this.root);
    return this.count;
  }

  visit(node) {
    const { x, k, distances } = this.asked;
    if (!node.left) return this.visitLeaf(node);
    const apart = x[node.axis] - node.at, [near, far] = apart < 0 ? [node.left, node.right] : [node.right, node.left];
    this.visit(near);
    if (this.count < k || apart * apart <= distances[k - 1]) this.visit(far);
  }

  visitLeaf({ first, end }) {
    const { d, points, order } = this, { x, k, found, distances } = this.asked;
    for (let n = first; n < end; n++) {
      let square = 0;
      for (let i = 0; i < d; i++) square += (points[order[n] * d + i] - x[i]) ** 2;
      if (this.count === k && square >= distances[k - 1]) continue;
      let at = this.count < k ? this.count++ : k - 1;
      for (; at > 0 && distances[at - 1] > square; at--) {
        distances[at] = distances[at - 1];
        found[at] = found[at - 1];
      }
      distances[at] = square;
      found[at] = order[n];
    }
  }
}
