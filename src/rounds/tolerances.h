/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SS_ROUNDS_TOLERANCES_H
#define SS_ROUNDS_TOLERANCES_H

/*
 * How much further than its bound a body may move in a step before its pairs are looked for again,
 * as part of the scene's length: what is nearer than this touches already (rows/tolerances.h). Ten
 * times larger: contacts up to 1e-8 of the scene deep are found a step late.
 */
#define SS_UNSEEN_PART 1e-9

/* The next bound over the speed that was found. Ten times larger: more pairs than needed. */
#define SS_SPEED_RAISE 2

/*
 * Energy that a pile may make in a step, as a part of what the step's forces could give its bodies.
 * Ten times larger: energies of piles rise by 1e-6 of the whole in single steps; ten times smaller:
 * what the time-stepping makes by itself asks for rounds that change nothing.
 */
#define SS_PILE_GAIN 1e-4

/*
 * Speed of a body over the bound that its pairs were found with, above which a step that moves it
 * by more than its size is cut instead of reaching for more. Light parts that heavy ones strike go
 * at most at twice their speed, which is in the bounds of both or in the next round's. Ten times
 * larger: steps reach for a hundred bodies in vain; a third: fair blows are cut.
 */
#define SS_SPEED_THROWN 4

/*
 * What the velocity of a driven body at the start of a step may be off, as a part of what the body
 * changes it by in half a step: it is that of a parabola, off by h/6 of the third derivative over
 * the second. Ten times larger: slip of half of that counts as none; ten times smaller: what rests
 * on a table that is swung slides from the first step on, with fewer than a thousand steps a
 * period.
 */
#define SS_PARABOLA_OFF 0.05

/*
 * Slip of what stuck to a driven body that counts as being behind it, over what the last step left
 * and the body's change of velocity in half of this one: the sum of both where the body begins to
 * speed up within the last step, and a parabola knows neither well there. Ten times larger: driven
 * bodies whose velocity jumps by what static friction gives in ten steps tear nothing off; half:
 * crates slide on lorries that set off within a step.
 */
#define SS_BEHIND_MOST 2

/*
 * Slip of a contact at its limit that has torn it off, as a part of the speed that forces alone
 * give its bodies in the step; solvers leave 1e-12 of that. Ten times larger: in steps of 1e-8 s
 * what is pulled slowly tears off a microsecond late; smaller: what stands right at its limit
 * flickers.
 */
#define SS_TORN_PART 1e-6

#endif
