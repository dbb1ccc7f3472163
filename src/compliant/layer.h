/* SPDX-License-Identifier: Apache-2.0 */
/* Springs of a patch that pull each other along. Equations: layer.c. */
#ifndef SS_COMPLIANT_LAYER_H
#define SS_COMPLIANT_LAYER_H

#include "model/data.h"

/* A round has new contacts: layers are made with their patches. */
void ss_layers_begin(ss_data *d);
/* The n + 1 springs from contact `first` on along an edge. */
void ss_layer_of_edge(ss_data *d, int32_t first, int32_t n, double length, double spread);
/* A face: opened for its springs (0 of them: no layer), triangle by triangle between three of them,
   closed. part: spread^2/area. */
void ss_layer_open(ss_data *d, int32_t first, int32_t count);
void ss_layer_triangle(ss_data *d, const int32_t contact[3], const ss_vec3 x[3], double part);
void ss_layer_close(ss_data *d);
/* There was room for all of them. */
bool ss_layers_fit(const ss_data *d);

/* The layer of a contact, -1: none. Contacts are asked for in their order, *cursor from 0 on. */
int32_t ss_layer_of_contact(const ss_springs *x, int32_t contact, int32_t *cursor);

/* B of all layers. */
ss_status ss_factor_layers(ss_data *d);
/* Springs of a layer take the same law. */
void ss_layers_agree(ss_data *d);
/* Entry of B that belongs to the spring itself. */
double ss_layer_own(const ss_data *d, const ss_spring *s);
/* (B p)_i of the impulses that came out, in all three directions. */
void ss_layer_pressure(const ss_data *d, const ss_spring *s, double *p);
/* Energies of all springs of layers: of the state, of the end, and what changed. */
void ss_settle_layers(ss_data *d, double h);

#endif
