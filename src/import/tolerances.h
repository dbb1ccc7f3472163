/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the importers: name, meaning, why this value. */
#ifndef SS_IMPORT_TOLERANCES_H
#define SS_IMPORT_TOLERANCES_H

/* Parts of quaternions below it are rounding of rotations by nothing. Ten times larger: still none.
 */
static const double SS_IMPORT_TURN = 1e-15;

/* kg and m: mass and radius of a body that must have some and has none in its file; said in a note.
 * Ten times larger: such bodies, mostly frames in which tools are held, are felt. */
static const double SS_IMPORT_MASS = 1e-3, SS_IMPORT_RADIUS = 1e-2;

/* s: the step of a scene whose file gives none. Ten times larger: fast robots are coarse. */
static const double SS_IMPORT_STEP = 0.002;

/* Part of a body's mass that stands between two of its joints, which are two bodies' work here. Ten
 * times larger: it is felt; ten times smaller: chains of such bodies become stiff to solve. */
static const double SS_IMPORT_BETWEEN = 1e-3;

/* kg/m^3: of shapes whose file says nothing, MJCF's own default. */
static const double SS_IMPORT_DENSITY = 1000;

/* Axes are one axis, or perpendicular, and anchors one point, within this (unit vectors, metres).
 */
static const double SS_IMPORT_SAME = 1e-9;

/* Bytes that are imported, of a file with all that it includes: the largest robots that are
 * published have 2 MB. Ten times larger: the tree of such a file takes 10 GB. */
enum { SS_IMPORT_BYTES_MAX = 64 << 20 };

/* Files that are included, each time counted; published robots include ten. Ten times larger: empty
 * files that include each other are opened for a second. */
enum { SS_IMPORT_INCLUDES_MAX = 10000 };

/* Attributes of one element; formats know a dozen. Names that are there twice are looked for among
 * them by libxml2, each against each. Ten times larger: a file of such elements takes minutes. */
enum { SS_IMPORT_ATTRIBUTES_MAX = 256 };

#endif
