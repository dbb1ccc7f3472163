/* Loops of the Python module: declarations, read by C and by cffi alike. */

/* A simulation and the arrays that show it: one argument for Python to convert instead of ten. */
typedef struct ssp_view {
    const ss_model *model;
    ss_data        *data;
    double         *position, *velocity, *angular_velocity; /* (bodies x 3) */
    double         *quaternion;                             /* (bodies x 4) */
    double         *angle;                                  /* (bodies)     */
} ssp_view;

/* Where the frames of all bodies are and how they move, one row a body. 2D: z is 0. */
void ssp_bodies(const ssp_view *v);

/* Up to `count` steps of h, until one fails; then where the bodies are. */
ss_status ssp_steps(const ssp_view *v, int64_t count, double h);

/* All contacts or joints of the last step. */
void ssp_contacts(const ss_model *m, const ss_data *d, ss_contact_info *out, int32_t count);
void ssp_joints(const ss_model *m, const ss_data *d, ss_joint_info *out, int32_t count);

/* What a run leaves behind: one row a state. Grown by the recorder of ssp_recorder. */
typedef struct ssp_rows {
    int64_t  states, capacity;
    int32_t  bodies;
    double  *t;                                           /* (states)              */
    double  *position, *velocity, *angular_velocity;      /* (states x bodies x 3) */
    double  *quaternion;                                  /* (states x bodies x 4) */
    double  *angle;                                       /* (states x bodies)     */
    double  *kinetic, *potential, *dissipated, *residual; /* (states)         */
    int32_t *contacts;                                    /* (states)              */
} ssp_rows;

ssp_rows *ssp_rows_create(void);
void      ssp_rows_destroy(ssp_rows *rows);
/* A recorder that appends every state to `rows`, which must outlive it. */
ss_status ssp_recorder(ss_context *ctx, ssp_rows *rows, ss_recorder **out);
