// SPDX-License-Identifier: Apache-2.0
// Bullet in double precision: sequential impulses (default and 200 iterations) and its MLCP solver.
#define BT_USE_DOUBLE_PRECISION 1
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <memory>
#include <vector>

#include "peer.h"

namespace
{

enum { SEQUENTIAL, SEQUENTIAL_200, MLCP };

btVector3 vec(const double *v)
{
    return btVector3(v[0], v[1], v[2]);
}

// Members are destroyed in reverse order: the world goes before what it uses.
struct BulletWorld {
    btDefaultCollisionConfiguration                 configuration;
    btCollisionDispatcher                           dispatcher{&configuration};
    btDbvtBroadphase                                broadphase;
    btDantzigSolver                                 dantzig;
    std::unique_ptr<btConstraintSolver>             solver;
    std::unique_ptr<btDiscreteDynamicsWorld>        world;
    std::vector<std::unique_ptr<btCollisionShape>>  shapes;
    std::vector<std::unique_ptr<btRigidBody>>       bodies;
    std::vector<std::unique_ptr<btTypedConstraint>> joints;
    double                                          h;

    ~BulletWorld()
    {
        for (auto &joint : joints) {
            world->removeConstraint(joint.get());
        }
        for (auto &body : bodies) {
            world->removeRigidBody(body.get());
        }
    }
};

btCollisionShape *make_shape(const peer_body &body)
{
    switch (body.shape) {
    case PEER_PLANE:
        return new btStaticPlaneShape(vec(body.size), body.offset);
    case PEER_SPHERE:
        return new btSphereShape(body.size[0]);
    case PEER_BOX:
        return new btBoxShape(0.5 * vec(body.size));
    default:
        return new btEmptyShape();
    }
}

// A shape away from the centre of mass needs a compound around it.
btCollisionShape *place_shape(BulletWorld &w, const peer_body &body)
{
    btCollisionShape *shape = make_shape(body);
    w.shapes.emplace_back(shape);
    if (vec(body.shape_at).isZero()) {
        return shape;
    }
    auto       *around = new btCompoundShape();
    btTransform at     = btTransform::getIdentity();
    at.setOrigin(vec(body.shape_at));
    around->addChildShape(at, shape);
    w.shapes.emplace_back(around);
    return around;
}

void add_body(BulletWorld &w, const peer_world &world, const peer_body &body)
{
    bool      same = body.inertia3[0] == 0;
    btVector3 inertia =
        same ? btVector3(body.inertia, body.inertia, body.inertia) : vec(body.inertia3);
    btRigidBody::btRigidBodyConstructionInfo info(body.mass, nullptr, place_shape(w, body),
                                                  inertia);
    // Coefficients of two bodies are multiplied.
    info.m_friction                 = std::sqrt(world.mu);
    info.m_linearSleepingThreshold  = 0;
    info.m_angularSleepingThreshold = 0;
    auto id                         = std::make_unique<btRigidBody>(info);
    id->setUserIndex(body.mass > 0 ? static_cast<int>(w.bodies.size()) : -1);
    btTransform at = btTransform::getIdentity();
    if (body.shape != PEER_PLANE) {
        at.setOrigin(vec(body.position));
    }
    if (body.quat_wxyz[0] != 0) {
        const double *q = body.quat_wxyz;
        at.setRotation(btQuaternion(q[1], q[2], q[3], q[0]));
    }
    id->setWorldTransform(at);
    id->setInterpolationWorldTransform(at);
    id->setLinearVelocity(vec(body.velocity));
    id->setAngularVelocity(vec(body.spin));
    id->setActivationState(DISABLE_DEACTIVATION);
    w.world->addRigidBody(id.get());
    w.bodies.push_back(std::move(id));
}

void add_hinge(BulletWorld &w, const peer_world &world, const peer_hinge &hinge)
{
    btVector3                          axis(0, 1, 0), anchor = vec(hinge.anchor);
    btRigidBody                       &b    = *w.bodies[hinge.b];
    btVector3                          in_b = anchor - vec(world.bodies[hinge.b].position);
    std::unique_ptr<btTypedConstraint> joint;
    if (hinge.a < 0) {
        joint = std::make_unique<btHingeConstraint>(b, in_b, axis);
    } else {
        btVector3 in_a = anchor - vec(world.bodies[hinge.a].position);
        joint = std::make_unique<btHingeConstraint>(*w.bodies[hinge.a], b, in_a, in_b, axis, axis);
    }
    w.world->addConstraint(joint.get(), true);
    w.joints.push_back(std::move(joint));
}

void *create(const peer_world *world, int setting)
{
    auto *w = new BulletWorld();
    if (setting == MLCP) {
        w->solver = std::make_unique<btMLCPSolver>(&w->dantzig);
    } else {
        w->solver = std::make_unique<btSequentialImpulseConstraintSolver>();
    }
    w->world = std::make_unique<btDiscreteDynamicsWorld>(&w->dispatcher, &w->broadphase,
                                                         w->solver.get(), &w->configuration);
    w->h     = world->h;
    w->world->setGravity(vec(world->gravity));
    if (setting == SEQUENTIAL_200) {
        w->world->getSolverInfo().m_numIterations = 200;
    }
    for (int i = 0; i < world->body_count; i++) {
        add_body(*w, *world, world->bodies[i]);
    }
    for (int i = 0; i < world->hinge_count; i++) {
        add_hinge(*w, *world, world->hinges[i]);
    }
    return w;
}

void push(void *engine, int body, const double force[3])
{
    static_cast<BulletWorld *>(engine)->bodies[body]->applyCentralForce(vec(force));
}

bool step(void *engine)
{
    auto *w = static_cast<BulletWorld *>(engine);
    w->world->stepSimulation(w->h, 0);
    return true;
}

void put(double *to, const btVector3 &from)
{
    for (int k = 0; k < 3; k++) {
        to[k] = from[k];
    }
}

void get(void *engine, int body, peer_state *out)
{
    const btRigidBody &id = *static_cast<BulletWorld *>(engine)->bodies[body];
    btQuaternion       q  = id.getWorldTransform().getRotation();
    put(out->position, id.getWorldTransform().getOrigin());
    put(out->velocity, id.getLinearVelocity());
    put(out->spin, id.getAngularVelocity());
    out->quat_wxyz[0] = q.w();
    out->quat_wxyz[1] = q.x();
    out->quat_wxyz[2] = q.y();
    out->quat_wxyz[3] = q.z();
}

// The normal of a manifold points from its second body to its first.
void put_contact(void *engine, const btPersistentManifold &m, const btManifoldPoint &p,
                 peer_contact *out)
{
    double     impulse[3];
    peer_state a = peer_state(), b = peer_state();
    out->a   = m.getBody1()->getUserIndex();
    out->b   = m.getBody0()->getUserIndex();
    out->gap = p.getDistance();
    put(out->point, p.getPositionWorldOnB());
    put(out->normal, p.m_normalWorldOnB);
    put(impulse, p.m_appliedImpulse * p.m_normalWorldOnB +
                     p.m_appliedImpulseLateral1 * p.m_lateralFrictionDir1 +
                     p.m_appliedImpulseLateral2 * p.m_lateralFrictionDir2);
    if (out->a >= 0) {
        get(engine, out->a, &a);
    }
    if (out->b >= 0) {
        get(engine, out->b, &b);
    }
    peer_contact_frame(out, impulse, out->a >= 0 ? &a : nullptr, out->b >= 0 ? &b : nullptr);
}

int contacts(void *engine, peer_contact *out, int room)
{
    auto &dispatcher = static_cast<BulletWorld *>(engine)->dispatcher;
    int   count      = 0;
    for (int i = 0; i < dispatcher.getNumManifolds(); i++) {
        const btPersistentManifold &m = *dispatcher.getManifoldByIndexInternal(i);
        for (int k = 0; k < m.getNumContacts(); k++, count++) {
            if (count < room) {
                put_contact(engine, m, m.getContactPoint(k), &out[count]);
            }
        }
    }
    return count;
}

void destroy(void *engine)
{
    delete static_cast<BulletWorld *>(engine);
}

const peer_setting settings[] = {
    {"sequential", PEER_CAN_ALL_3D},
    {"sequential-200", PEER_CAN_ALL_3D},
    {"mlcp", PEER_CAN_ALL_3D | PEER_EXACT},
};

} // namespace

extern const peer_engine peer_engine_here = {"bullet", settings, 3,       create,  push,
                                             step,     get,      nullptr, destroy, contacts};
