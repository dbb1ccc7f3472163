// SPDX-License-Identifier: Apache-2.0
// Siconos: its mechanics component (Moreau-Jean time stepping, Bullet's collision detection) with
// the nonsmooth Gauss-Seidel solver of its numerics at tolerance 1e-10 (piles: 1e-6).
#include <Friction_cst.h>
#include <RigidBodyDS.hpp>
#include <SiconosBulletCollisionManager.hpp>
#include <SiconosConfig.h>
#include <SiconosContactor.hpp>
#include <SiconosKernel.hpp>
#include <SiconosShape.hpp>
#include <SolverOptions.h>

#include <cmath>
#include <map>
#include <vector>

#include "peer.h"

namespace
{

struct Active {
    SP::Interaction contact;
    int             a, b;
};

struct SiconosWorld {
    SP::TimeStepping                 simulation;
    std::vector<SP::RigidBodyDS>     bodies;
    std::vector<std::vector<double>> gravity; // force of each body
    std::vector<Active>              active;  // contacts of the last problem; piles alone
    std::map<DynamicalSystem *, int> index;
    bool                             many = false;
};

SP::SiconosVector pose(const double *p, const double *turn = nullptr)
{
    auto q = std::make_shared<SiconosVector>(7);
    q->zero();
    for (int k = 0; k < 3; k++) {
        q->setValue(k, p[k]);
    }
    q->setValue(3, 1);
    for (int k = 0; turn != nullptr && turn[0] != 0 && k < 4; k++) {
        q->setValue(3 + k, turn[k]);
    }
    return q;
}

// Planes are large boxes: its own planes are hulls whose normals are off by 1e-4.
const double THICK = 10, WIDE = 400;

SP::SiconosVector plane_pose(const peer_body &body)
{
    const double *n = body.size;
    double        p[3];
    for (int k = 0; k < 3; k++) {
        p[k] = (body.offset - THICK / 2) * n[k];
    }
    return pose(p);
}

SP::SiconosShape make_shape(const peer_body &body)
{
    const double *s = body.size;
    switch (body.shape) {
    case PEER_PLANE:
        return std::make_shared<SiconosBox>(s[0] != 0 ? THICK : WIDE, s[1] != 0 ? THICK : WIDE,
                                            s[2] != 0 ? THICK : WIDE);
    case PEER_SPHERE:
        return std::make_shared<SiconosSphere>(s[0]);
    default:
        return std::make_shared<SiconosBox>(s[0], s[1], s[2]);
    }
}

SP::SiconosContactorSet make_contactors(const peer_body &body)
{
    auto set   = std::make_shared<SiconosContactorSet>();
    auto shape = make_shape(body);
    shape->setInsideMargin(0.01); // of Bullet; must be less than half of the thinnest box
    set->push_back(std::make_shared<SiconosContactor>(shape, pose(body.shape_at)));
    return set;
}

void apply(SiconosWorld &w, int body, const double *extra)
{
    auto force = w.bodies[body]->fExt();
    for (int k = 0; k < 3; k++) {
        force->setValue(k, w.gravity[body][k] + (extra != nullptr ? extra[k] : 0));
    }
}

SP::RigidBodyDS make_body(const peer_body &body)
{
    auto velocity = std::make_shared<SiconosVector>(6);
    auto inertia  = std::make_shared<SimpleMatrix>(3, 3);
    inertia->zero();
    for (int k = 0; k < 3; k++) {
        velocity->setValue(k, body.velocity[k]);
        velocity->setValue(3 + k, body.spin[k]);
        inertia->setValue(k, k, body.inertia3[0] > 0 ? body.inertia3[k] : body.inertia);
    }
    auto id = std::make_shared<RigidBodyDS>(pose(body.position, body.quat_wxyz), velocity,
                                            body.mass, inertia);
    id->setContactors(make_contactors(body));
    auto force = std::make_shared<SiconosVector>(3);
    force->zero();
    id->setFExtPtr(force);
    return id;
}

SP::FrictionContact make_solver(const peer_world &world)
{
    auto problem = std::make_shared<FrictionContact>(3, SICONOS_FRICTION_3D_NSGS);
    auto options = problem->numericsSolverOptions();
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 5000;
    options->dparam[SICONOS_DPARAM_TOL]      = world.many ? 1e-6 : 1e-10;
    problem->setMaxSize(65536);
    problem->setMStorageType(NM_SPARSE_BLOCK);
    problem->setNumericsVerboseMode(false);
    problem->setKeepLambdaAndYState(true);
    return problem;
}

// Extra contact points by small turns of the bodies are meant for meshes and disturb spheres.
std::shared_ptr<SiconosBulletCollisionManager> make_collider()
{
    SiconosBulletOptions options;
    options.perturbationIterations             = 0;
    options.minimumPointsPerturbationThreshold = 0;
    return std::make_shared<SiconosBulletCollisionManager>(options);
}

void *create(const peer_world *world, int)
{
    auto *w        = new SiconosWorld();
    auto  nsds     = std::make_shared<NonSmoothDynamicalSystem>(0, 1e9);
    auto  collider = make_collider();
    collider->insertNonSmoothLaw(std::make_shared<NewtonImpactFrictionNSL>(0., 0., world->mu, 3), 0,
                                 0);
    for (int i = 0; i < world->body_count; i++) {
        const peer_body &body = world->bodies[i];
        SP::RigidBodyDS  id;
        if (body.mass > 0) {
            id = make_body(body);
            nsds->insertDynamicalSystem(id);
        } else {
            collider->insertStaticContactorSet(make_contactors(body), body.shape == PEER_PLANE
                                                                          ? plane_pose(body)
                                                                          : pose(body.position));
        }
        w->bodies.push_back(id);
        w->many = world->many;
        if (id) {
            w->index[id.get()] = i;
        }
        w->gravity.push_back({body.mass * world->gravity[0], body.mass * world->gravity[1],
                              body.mass * world->gravity[2]});
        if (id) {
            apply(*w, i, nullptr);
        }
    }
    w->simulation =
        std::make_shared<TimeStepping>(nsds, std::make_shared<TimeDiscretisation>(0, world->h));
    auto integrator = std::make_shared<MoreauJeanOSI>(0.5);
    integrator->setConstraintActivationThreshold(1e-7); // its gaps carry rounding errors
    w->simulation->insertIntegrator(integrator);
    w->simulation->insertNonSmoothProblem(make_solver(*world));
    w->simulation->insertInteractionManager(collider);
    w->simulation->setNewtonOptions(SICONOS_TS_LINEAR);
    return w;
}

void push(void *engine, int body, const double force[3])
{
    apply(*static_cast<SiconosWorld *>(engine), body, force);
}

int index_of(const SiconosWorld &w, const SP::DynamicalSystem &body)
{
    auto found = w.index.find(body.get());
    return found != w.index.end() ? found->second : -1;
}

// The set of the next step is made at the end of this one: contacts that have just begun to overlap
// are in it, with no impulse yet, and are none of this step's.
void note_active(SiconosWorld &w)
{
    auto                         graph = w.simulation->indexSet(1);
    InteractionsGraph::VIterator i, end;
    w.active.clear();
    for (std::tie(i, end) = graph->vertices(); i != end; ++i) {
        int a = index_of(w, graph->properties(*i).target);
        int b = index_of(w, graph->properties(*i).source);
        w.active.push_back({graph->bundle(*i), a == b ? -1 : a, b});
    }
}

bool step(void *engine)
{
    auto *w = static_cast<SiconosWorld *>(engine);
    try {
        w->simulation->computeOneStep();
        if (w->many) {
            note_active(*w);
        }
        w->simulation->nextStep();
    } catch (...) {
        return false;
    }
    return true;
}

void get(void *engine, int body, peer_state *out)
{
    auto *w = static_cast<SiconosWorld *>(engine);
    *out    = peer_state();
    if (!w->bodies[body]) {
        return;
    }
    const SiconosVector &q = *w->bodies[body]->q(), &v = *w->bodies[body]->twist();
    auto                 spin = w->bodies[body]->angularVelocity(true);
    for (int k = 0; k < 3; k++) {
        out->position[k] = q.getValue(k);
        out->velocity[k] = v.getValue(k);
        out->spin[k]     = spin->getValue(k);
    }
    for (int k = 0; k < 4; k++) {
        out->quat_wxyz[k] = q.getValue(3 + k);
    }
}

// Impulses and velocities in the frame that Siconos solved them in.
int contacts(void *engine, peer_contact *out, int room)
{
    auto *w     = static_cast<SiconosWorld *>(engine);
    int   count = 0;
    for (const Active &active : w->active) {
        auto relation = std::dynamic_pointer_cast<NewtonEuler1DR>(active.contact->relation());
        if (count >= room || !relation) {
            continue;
        }
        peer_contact &c = out[count++];
        c               = peer_contact();
        c.a             = active.a;
        c.b             = active.b;
        for (int k = 0; k < 3; k++) {
            c.point[k]    = relation->pc1()->getValue(k);
            c.normal[k]   = relation->nc()->getValue(k);
            c.impulse[k]  = active.contact->lambda(1)->getValue(k);
            c.velocity[k] = active.contact->y(1)->getValue(k);
        }
    }
    return count;
}

void destroy(void *engine)
{
    delete static_cast<SiconosWorld *>(engine);
}

const peer_setting settings[] = {
    {"nsgs", PEER_CAN_3D | PEER_CAN_BOXES | PEER_CAN_PILES | PEER_CAN_BOX_PILES | PEER_EXACT}};

} // namespace

extern const peer_engine peer_engine_here = {"siconos", settings, 1,       create,  push,
                                             step,      get,      nullptr, destroy, contacts};
