/* phi(X): angles by one matrix product (or fast Hadamard transforms), then cosine and sine in place. */
#include "base/linalg.h"
#include "base/threads.h"
#include "features/bank.h"
#include "features/sincos.h"
#include "sampling/hadamard.h"

#define REAL            double
#define PHI             orffi_phi
#define ANGLES          angles
#define GEMM            orffi_gemm
#define PROJECT         orffi_structured_project_double
#define ROTATE          rotate
#define OMEGA(group)    (group)->drawn.omega
#define AMPLITUDE(bank) (bank)->amplitude
#include "features/phi.inc"

#define REAL            float
#define PHI             orffi_phi_single
#define ANGLES          angles_single
#define GEMM            orffi_gemm_single
#define PROJECT         orffi_structured_project_single
#define ROTATE          rotate_single
#define OMEGA(group)    (group)->omega_single
#define AMPLITUDE(bank) (bank)->amplitude_single
#include "features/phi.inc"

size_t orffi_bank_scratch(const orffi_bank *bank) {
    size_t most = 0;
    for (size_t g = 0; g < bank->n_groups; g++) {
        const orffi_structured *structured = bank->groups[g].drawn.structured;
        const size_t room =
            structured ? orffi_structured_scratch(structured) * (size_t)orffi_thread_count() : 0;
        if (room > most) most = room;
    }
    return most;
}
