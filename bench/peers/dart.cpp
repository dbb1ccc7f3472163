// SPDX-License-Identifier: Apache-2.0
// DART with its own collision detector and its default solver (Dantzig on boxed LCPs). Planes are
// large boxes, because that detector knows boxes and spheres only.
#include <dart/collision/dart/dart.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>

#include <vector>

#include "peer.h"

namespace
{

using Eigen::Vector3d;

struct DartWorld {
    dart::simulation::WorldPtr              world;
    std::vector<dart::dynamics::BodyNode *> bodies;
};

Vector3d vec(const double *v)
{
    return Vector3d(v[0], v[1], v[2]);
}

Eigen::Isometry3d at(const Vector3d &place)
{
    Eigen::Isometry3d frame = Eigen::Isometry3d::Identity();
    frame.translation()     = place;
    return frame;
}

// The solid side of a plane as a box; pours are narrow, other scenes slide at most some tens of
// metres.
void add_plane_shape(dart::dynamics::BodyNode *node, const peer_body &body)
{
    const double thick = 10, wide = 400;
    Vector3d     n = vec(body.size), size = Vector3d::Constant(wide);
    for (int k = 0; k < 3; k++) {
        size[k] = n[k] != 0 ? thick : wide;
    }
    auto shape = std::make_shared<dart::dynamics::BoxShape>(size);
    node->createShapeNodeWith<dart::dynamics::VisualAspect, dart::dynamics::CollisionAspect,
                              dart::dynamics::DynamicsAspect>(shape)
        ->setRelativeTransform(at((body.offset - thick / 2) * n));
}

void add_shape(dart::dynamics::BodyNode *node, const peer_body &body, double mu)
{
    std::shared_ptr<dart::dynamics::Shape> shape;
    if (body.shape == PEER_PLANE) {
        add_plane_shape(node, body);
    } else if (body.shape != PEER_NO_SHAPE) {
        if (body.shape == PEER_SPHERE) {
            shape = std::make_shared<dart::dynamics::SphereShape>(body.size[0]);
        } else {
            shape = std::make_shared<dart::dynamics::BoxShape>(vec(body.size));
        }
        node->createShapeNodeWith<dart::dynamics::CollisionAspect, dart::dynamics::DynamicsAspect>(
                shape)
            ->setRelativeTransform(at(vec(body.shape_at)));
    }
    for (auto *piece : node->getShapeNodesWith<dart::dynamics::DynamicsAspect>()) {
        piece->getDynamicsAspect()->setFrictionCoeff(mu); // of two, the smaller counts
        piece->getDynamicsAspect()->setRestitutionCoeff(0);
    }
}

dart::dynamics::Inertia make_inertia(const peer_body &body)
{
    bool     same = body.inertia3[0] == 0;
    Vector3d i    = same ? Vector3d::Constant(body.inertia) : vec(body.inertia3);
    return dart::dynamics::Inertia(body.mass, Vector3d::Zero(), Eigen::Matrix3d(i.asDiagonal()));
}

dart::dynamics::BodyNode *make_free(DartWorld &w, const peer_body &body, double mu)
{
    auto skeleton = dart::dynamics::Skeleton::create();
    skeleton->setName("s" + std::to_string(w.bodies.size()));
    dart::dynamics::BodyNode *node = nullptr;
    if (body.mass > 0) {
        auto pair = skeleton->createJointAndBodyNodePair<dart::dynamics::FreeJoint>();
        node      = pair.second;
        node->setInertia(make_inertia(body));
        pair.first->setTransform(at(vec(body.position)));
        pair.first->setLinearVelocity(vec(body.velocity));
        pair.first->setAngularVelocity(vec(body.spin));
    } else {
        auto pair = skeleton->createJointAndBodyNodePair<dart::dynamics::WeldJoint>();
        node      = pair.second;
        if (body.shape != PEER_PLANE) {
            pair.first->setTransformFromParentBodyNode(at(vec(body.position)));
        }
        skeleton->setMobile(false);
    }
    add_shape(node, body, mu);
    w.world->addSkeleton(skeleton);
    return node;
}

// Rods joined by hinges are one skeleton: DART works in joint coordinates.
void make_rods(DartWorld &w, const peer_world &world)
{
    auto                      skeleton = dart::dynamics::Skeleton::create();
    dart::dynamics::BodyNode *parent   = nullptr;
    for (int i = 0; i < world.body_count; i++) {
        const peer_body                          &body = world.bodies[i];
        dart::dynamics::RevoluteJoint::Properties properties;
        Vector3d                                  anchor = vec(world.hinges[i].anchor);
        Vector3d before  = i > 0 ? vec(world.bodies[i - 1].position) : Vector3d::Zero();
        properties.mName = "j" + std::to_string(i);
        properties.mAxis = Vector3d::UnitY();
        properties.mT_ParentBodyToJoint = at(anchor - before);
        properties.mT_ChildBodyToJoint  = at(anchor - vec(body.position));
        dart::dynamics::BodyNode::AspectProperties named("b" + std::to_string(i));
        auto pair = skeleton->createJointAndBodyNodePair<dart::dynamics::RevoluteJoint>(
            parent, properties, dart::dynamics::BodyNode::Properties(named));
        parent = pair.second;
        parent->setInertia(make_inertia(body));
        w.bodies.push_back(parent);
    }
    w.world->addSkeleton(skeleton);
}

void *create(const peer_world *world, int)
{
    auto *w  = new DartWorld();
    w->world = dart::simulation::World::create();
    w->world->setTimeStep(world->h);
    w->world->setGravity(vec(world->gravity));
    w->world->getConstraintSolver()->setCollisionDetector(
        dart::collision::DARTCollisionDetector::create());
    if (world->hinge_count > 0) {
        make_rods(*w, *world);
    } else {
        for (int i = 0; i < world->body_count; i++) {
            w->bodies.push_back(make_free(*w, world->bodies[i], world->mu));
        }
    }
    return w;
}

void push(void *engine, int body, const double force[3])
{
    static_cast<DartWorld *>(engine)->bodies[body]->addExtForce(vec(force));
}

bool step(void *engine)
{
    static_cast<DartWorld *>(engine)->world->step();
    return true;
}

void put(double *to, const Vector3d &from)
{
    for (int k = 0; k < 3; k++) {
        to[k] = from[k];
    }
}

void get(void *engine, int body, peer_state *out)
{
    auto              *node = static_cast<DartWorld *>(engine)->bodies[body];
    Eigen::Quaterniond q(node->getTransform().linear());
    put(out->position, node->getTransform().translation());
    put(out->velocity, node->getCOMLinearVelocity());
    put(out->spin, node->getAngularVelocity());
    out->quat_wxyz[0] = q.w();
    out->quat_wxyz[1] = q.x();
    out->quat_wxyz[2] = q.y();
    out->quat_wxyz[3] = q.z();
}

void destroy(void *engine)
{
    delete static_cast<DartWorld *>(engine);
}

// Its detector tries every pair, and its solver is direct: piles of a thousand are out of reach.
const peer_setting settings[] = {{"default", PEER_CAN_ALL_3D | PEER_EXACT}};

} // namespace

extern const peer_engine peer_engine_here = {"dart", settings, 1,       create, push,
                                             step,   get,      nullptr, destroy};
