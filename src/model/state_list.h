/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the state (state.h). The order is that of the state vector and of snapshots. */
SS_STATE_PART(clock)       /* time, ledger of energies                              state.c   */
SS_STATE_PART(bodies)      /* positions and velocities                              state.c   */
SS_STATE_PART(joints)      /* coordinates, because they count turns                 state.c   */
SS_STATE_PART(loads)       /* of joints, that friction follows                      state.c   */
SS_STATE_PART(pushes)      /* of the caller, for the next step                      state.c   */
SS_STATE_PART(memory)      /* what controllers keep from step to step               state.c   */
SS_STATE_PART(deflections) /* of contacts that give, by contact identity       state.c   */
SS_STATE_PART(sleep)       /* which bodies sleep, and how long they have been at rest  state.c   */
SS_STATE_PART(sticking)    /* which contacts stick, where that changes friction     state.c   */
SS_STATE_PART(modes)       /* what contacts do between events, by identity          state.c   */
SS_STATE_PART(guess)       /* impulses of the last step, by contact identity        state.c   */
