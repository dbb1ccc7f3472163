/* SPDX-License-Identifier: Apache-2.0 */
/* What study files say about identification, for the reference. */
#include "identify/identify.h"

void ss_identify_reference(void (*write)(void *user, const char *text), void *user)
{
    write(user,
          "\n## Identification\n\n"
          "`data` has `files`, a list of CSV files, or of `{file, name, from, to, set: {path: "
          "value, ..}}`, one recording each; `columns`, which maps `t` and coordinates "
          "`BODY.COORDINATE` (2D: x, y, angle, vx, vy, w; 3D: x, y, z, qw, qx, qy, qz, vx, vy, vz, "
          "wx, wy, wz; any of them) to columns of the files; `units`: `{time, length, angle}`, "
          "numbers in s, m and rad, or `angle: deg`; `from` and `to`, seconds of the recording "
          "that count. The first sample that counts is the start of the run. Times must rise; "
          "steps between them may vary; empty cells and nan were not measured.\n\n"
          "`free` maps paths into the scene to `{bounds: [low, high] or [low, high, start], start, "
          "scale, per: trial}`: one value for all recordings, or one for each.\n\n"
          "| `nuisance` | value | meaning |\n|---|---|---|\n"
          "| `start` | `{BODY: [coordinates]}` or `{BODY: {free: [..], measured: [..]}}` | "
          "coordinates of a body at the start of each recording: searched for from where the "
          "recording says, or taken as recorded (`orientation` in 3D). Others are the scene's |\n"
          "| `start_samples` | 5 | samples of the line that says where it starts and how fast |\n"
          "| `delay` | `{bounds: ..}` | seconds by which the recording lags behind |\n"
          "| `offset` | `{axes: [x, ..], bounds: ..}` | where the frame of the recording lies |\n"
          "| `length_scale` | `{bounds: ..}` | what lengths are multiplied with in the recording "
          "|\n"
          "| `angle_bias` | `{bounds: ..}` | what is added to angles |\n\n"
          "All but `start` are of all recordings together, or `per: trial`.\n\n"
          "`noise: {position, angle, velocity, spin}` are standard deviations in SI units. They "
          "weigh what is measured; how large it really is, the residuals say, unless `known: "
          "true`.\n\n"
          "| `loss` | what is compared |\n|---|---|\n"
          "| `path` | every sample |\n| `end` | the last sample |\n"
          "| `travel` | the distance from the first sample to the last |\n"
          "| `{over: measures, measures: [..]}` | measures of the study, whose squares are added: "
          "each is best at zero |\n"
          "| `{over: .., length: L}` | angles count L metres each radian |\n\n"
          "`folds: N` leaves out every N-th recording in turn and predicts it with the values that "
          "the others give; what belongs to it alone is found from its first `known` seconds "
          "(`folds: {count: N, known: S}`), else from all of it. `confidence: {level, bootstrap, "
          "profile}`. `method: simulate`, or `{name: simulate, algorithm, iterations, evaluations, "
          "tolerance}`: `gauss-newton`, or an algorithm of designs.\n");
}
