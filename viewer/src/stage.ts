// SPDX-License-Identifier: Apache-2.0
// The replay: renderer, lights, cameras and everything that is drawn at a step.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Bodies } from './bodies';
import { type Contact, ContactLayer, type Layers } from './contacts';
import { FreeBody } from './freebody';
import { JointLayer, Skeleton, SupportLayer, Trails } from './extras';
import { measuredBodies, placeMeasured } from './measured';
import { palette, PURPLE } from './palette';
import type { Run } from './payload';
import { Poses, toWorld } from './pose';
import { isUnbounded } from './shapes';

export type View = 'iso' | 'front' | 'side' | 'top';
const DIRECTIONS: Record<View, THREE.Vector3> = {
  iso: new THREE.Vector3(0.62, -1, 0.52), front: new THREE.Vector3(0, -1, 0.0001),
  side: new THREE.Vector3(1, 0, 0.0001), top: new THREE.Vector3(0, -0.0001, 1),
};

export function webglWorks(): boolean {
  try {
    const canvas = document.createElement('canvas');
    return canvas.getContext('webgl2') !== null;
  } catch { return false; }
}

// How far a shape reaches from its own origin.
function reachOf(g: Run['header']['geoms'][number]): number {
  const v = g.vertices ?? [];
  let far = 0;
  for (let i = 0; i + 2 < v.length; i += 3) far = Math.max(far, Math.hypot(v[i], v[i + 1], v[i + 2]));
  return Math.max(far, (g.radius ?? 0) + (g.length ?? 0) / 2, Math.hypot(...(g.size ?? [0])) / 2, ...(g.radii ?? [0]));
}

// The box around a shape at the poses given.
function boxOf(g: Run['header']['geoms'][number], poses: Poses): THREE.Box3 {
  const r = reachOf(g);
  const half = g.size && g.type === 'box' ? [g.size[0] / 2, g.size[1] / 2, (g.size[2] ?? 0) / 2] : [r, r, r];
  const [w, x, y, z] = g.quat, box = new THREE.Box3();
  const turned = new THREE.Quaternion(x, y, z, w), at: number[] = [0, 0, 0];
  for (let corner = 0; corner < 8; corner++) {
    const v = new THREE.Vector3(...half.map((h, i) => (corner & (1 << i) ? h : -h)) as [number, number, number]).applyQuaternion(turned);
    toWorld(poses, g.body, [v.x + g.position[0], v.y + g.position[1], v.z + g.position[2]], at);
    box.expandByPoint(new THREE.Vector3(at[0], at[1], at[2]));
  }
  return box;
}

export class Stage {
  readonly layers: Layers = {
    points: true, normals: false, cones: true, forces: true, joints: true, trails: false, ghosts: true, measured: true, axes: false,
  };
  readonly contacts: ContactLayer;
  readonly size: number;
  highlight = -1;
  follow = -1;
  dirty = true;
  private renderer: THREE.WebGLRenderer;
  private scene = new THREE.Scene();
  private camera: THREE.PerspectiveCamera | THREE.OrthographicCamera;
  private controls: OrbitControls;
  private centre: THREE.Vector3;
  private span: THREE.Vector3;
  private bodies: Bodies;
  private ghosts: Bodies[];
  private measured?: Bodies;
  private joints: JointLayer;
  private support: SupportLayer;
  private skeleton: Skeleton;
  private trails: Trails;
  private sun = new THREE.DirectionalLight(0xffffff, 2.1);
  private followed = new THREE.Vector3();
  private between: Poses;
  private unit: number;
  readonly free: FreeBody;
  private axes = new THREE.Group();

  constructor(private host: HTMLElement, private runs: Run[], private loaded: () => void) {
    const run = runs[0];
    this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio || 1));
    this.renderer.shadowMap.enabled = run.header.dimension === 3;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    host.prepend(this.renderer.domElement);
    ({ centre: this.centre, span: this.span, size: this.size } = this.measure());
    this.camera = run.header.dimension === 2
      ? new THREE.OrthographicCamera(-1, 1, 1, -1, -50 * this.size, 50 * this.size)
      : new THREE.PerspectiveCamera(32, 1, 0.01 * this.size, 60 * this.size);
    this.camera.up.set(0, run.header.dimension === 2 ? 1 : 0, run.header.dimension === 2 ? 0 : 1);
    this.controls = this.makeControls();
    this.bodies = new Bodies(run, this.size, this.centre);
    this.between = new Poses(run.header.bodies.length);
    this.ghosts = runs.slice(1).map((r, i) => new Bodies(r, this.size, this.centre, palette().series[(i + 1) % 7]));
    if (run.header.measured) this.measured = new Bodies(run, this.size, this.centre, PURPLE, measuredBodies(run));
    this.unit = this.contactUnit();
    this.contacts = new ContactLayer(run, this.unit);
    this.joints = new JointLayer(run, this.unit);
    this.support = new SupportLayer(run);
    this.skeleton = new Skeleton(run, this.size);
    this.trails = new Trails(run);
    this.free = new FreeBody(run, this.unit);
    host.append(this.free.labels, this.legend);
    this.drawAxes();
    this.scene.add(this.bodies.group, ...this.ghosts.map((g) => g.group), ...(this.measured ? [this.measured.group] : []), this.contacts.group,
      this.joints.group, this.skeleton.group, this.support.points.object, this.trails.group, this.free.group, this.axes);
    this.light();
    this.setForceScale(1);
    this.recolour();
    this.resize();
    this.view('iso');
    new ResizeObserver(() => this.resize()).observe(host);
  }

  get canvas(): HTMLCanvasElement { return this.renderer.domElement; }

  // The box to look at: all that moves, where it starts and wherever it goes, and what stands near.
  private measure(): { centre: THREE.Vector3; span: THREE.Vector3; size: number } {
    const { extent, geoms, bodies } = this.runs[0].header;
    const solid = geoms.filter((g) => !isUnbounded(g));
    const moving = solid.filter((g) => bodies[g.body].type !== 'static');
    const start = new Poses(bodies.length);
    start.read(this.runs[0], 0);
    const reach = moving.map(reachOf).sort((a, b) => a - b);
    const box = new THREE.Box3(new THREE.Vector3(...extent.low), new THREE.Vector3(...extent.high));
    box.expandByScalar(reach[reach.length >> 1] || 0);
    for (const g of moving) box.union(boxOf(g, start));
    const near = 1.5 * box.getSize(new THREE.Vector3()).length();
    for (const g of solid) {
      const own = boxOf(g, start);
      if (moving.length === 0 || own.getSize(new THREE.Vector3()).length() < near) box.union(own);
    }
    for (const j of this.runs[0].header.joints) if (j.bodies[0] < 0) box.expandByPoint(new THREE.Vector3(...j.anchor));
    if (box.getSize(new THREE.Vector3()).length() === 0) box.expandByScalar(0.5);
    const span = box.getSize(new THREE.Vector3());
    return { centre: box.getCenter(new THREE.Vector3()), span, size: Math.max(span.x, span.y, span.z) };
  }

  private makeControls(): OrbitControls {
    const controls = new OrbitControls(this.camera, this.canvas);
    if (this.runs[0].header.dimension === 2) {
      controls.enableRotate = false;
      controls.mouseButtons = { LEFT: THREE.MOUSE.PAN, MIDDLE: THREE.MOUSE.DOLLY, RIGHT: THREE.MOUSE.PAN };
      controls.touches = { ONE: THREE.TOUCH.PAN, TWO: THREE.TOUCH.DOLLY_PAN };
    }
    controls.addEventListener('change', () => { this.dirty = true; });
    return controls;
  }

  private light(): void {
    const s = this.size;
    this.sun.position.copy(this.centre).add(new THREE.Vector3(-0.9 * s, -1.1 * s, 2.4 * s));
    this.sun.target.position.copy(this.centre);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 4;
    this.sun.shadow.normalBias = 0.004 * s;
    const c = this.sun.shadow.camera;
    c.left = c.bottom = -1.3 * s; c.right = c.top = 1.3 * s; c.near = 0.1 * s; c.far = 6 * s;
    this.scene.add(this.sun, this.sun.target, new THREE.HemisphereLight(0xffffff, 0xb8b0a2, 1.7));
  }

  // The length that marks of contacts are drawn with: the size of a usual body, but not too small.
  private contactUnit(): number {
    const { geoms, bodies } = this.runs[0].header;
    const reach = geoms.filter((g) => !isUnbounded(g) && bodies[g.body].type !== 'static').map(reachOf).sort((a, b) => a - b);
    const usual = reach[reach.length >> 1] || this.size;
    return Math.max(0.03 * this.size, Math.min(0.16 * this.size, 1.3 * usual));
  }

  // The weight of the heaviest body (or, without gravity, the largest force) is 1.4 units long.
  setForceScale(factor: number): void {
    const { gravity, bodies, facts } = this.runs[0].header;
    const mass = Math.max(...bodies.filter((b) => b.type === 'dynamic' || b.type === 'particle').map((b) => b.mass), 0);
    const weight = mass * Math.hypot(...(gravity ?? [0]));
    const reference = weight || Number(facts.force_max) || 1;
    this.contacts.forceScale = (factor * 1.4 * this.unit) / reference;
    this.dirty = true;
  }

  view(name: View): void {
    const planar = this.runs[0].header.dimension === 2;
    const direction = planar ? new THREE.Vector3(0, 0, 1) : DIRECTIONS[name].clone().normalize();
    this.controls.target.copy(this.centre);
    this.camera.position.copy(this.centre).addScaledVector(direction, planar ? this.size : this.fittingDistance(direction));
    this.camera.zoom = 1;
    this.resize();
    this.controls.update();
    this.dirty = true;
  }

  // How far back the camera must be for the whole box to be in the picture, with some margin.
  private fittingDistance(direction: THREE.Vector3): number {
    const camera = this.camera as THREE.PerspectiveCamera;
    const up = Math.tan((camera.fov * Math.PI) / 360), across = up * this.aspect();
    const turned = new THREE.Matrix4().lookAt(direction, new THREE.Vector3(), camera.up).invert();
    let distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const v = new THREE.Vector3(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5, corner & 4 ? 0.5 : -0.5)
        .multiply(this.span).applyMatrix4(turned);
      distance = Math.max(distance, v.z + Math.abs(v.x) / (1.06 * across), v.z + Math.abs(v.y) / (0.94 * up));
    }
    return distance;
  }

  zoom(factor: number): void {
    if (this.camera instanceof THREE.OrthographicCamera) {
      this.camera.zoom *= factor;
      this.camera.updateProjectionMatrix();
    } else {
      this.camera.position.sub(this.controls.target).divideScalar(factor).add(this.controls.target);
    }
    this.controls.update();
    this.dirty = true;
  }

  // Turn the camera about the target (3D) or shift it (2D); in radians or screen shares.
  turn(right: number, up: number): void {
    const arm = this.camera.position.clone().sub(this.controls.target);
    if (this.camera instanceof THREE.OrthographicCamera) {
      const shift = new THREE.Vector3(right, up, 0).multiplyScalar(this.size / this.camera.zoom);
      this.controls.target.add(shift);
      this.camera.position.add(shift);
    } else {
      const s = new THREE.Spherical().setFromVector3(new THREE.Vector3(arm.x, arm.z, -arm.y));
      s.theta += right;
      s.phi = Math.max(0.02, Math.min(Math.PI - 0.02, s.phi - up));
      const v = new THREE.Vector3().setFromSpherical(s);
      this.camera.position.copy(this.controls.target).add(new THREE.Vector3(v.x, -v.z, v.y));
    }
    this.controls.update();
    this.dirty = true;
  }

  // Where the camera is, for a page that is loaded anew, and back.
  standpoint(): number[] {
    return [...this.camera.position.toArray(), ...this.controls.target.toArray(), this.camera.zoom];
  }

  standAt(at: number[]): void {
    this.camera.position.fromArray(at);
    this.controls.target.fromArray(at, 3);
    this.camera.zoom = at[6];
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.dirty = true;
  }

  private aspect(): number { return this.host.clientWidth / Math.max(1, this.host.clientHeight); }

  resize(): void {
    const w = this.host.clientWidth, h = Math.max(1, this.host.clientHeight);
    this.renderer.setSize(w, h, false);
    if (this.camera instanceof THREE.OrthographicCamera) {
      const half = Math.max((0.5 * this.span.x) / (0.86 * (w / h)), (0.5 * this.span.y) / 0.7);
      this.camera.top = half; this.camera.bottom = -half;
      this.camera.right = (half * w) / h; this.camera.left = -this.camera.right;
    } else {
      this.camera.aspect = w / h;
    }
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  recolour(): void {
    this.scene.background = 'clear' in document.documentElement.dataset ? null : new THREE.Color(palette().background);
    this.bodies.recolour();
    this.trails.recolour();
    this.dirty = true;
  }

  followBody(body: number): void {
    this.follow = body;
    if (body >= 0) this.followed.fromArray(this.bodies.poses.position, 3 * body);
  }

  // Show step k, or the share `s` of the way to the next one. False: not decoded yet.
  show(step: number, s: number, t: number): boolean {
    const run = this.runs[0];
    if (!this.bodies.poses.read(run, step)) return false;
    if (s > 0 && step + 1 < run.count && this.between.read(run, step + 1)) this.bodies.poses.blend(this.between, s);
    this.bodies.update(t);
    this.ghosts.forEach((ghost, i) => {
      const other = this.runs[i + 1], at = other.stepAt(t);
      ghost.group.visible = this.layers.ghosts;
      if (this.layers.ghosts && ghost.poses.read(other, at)) ghost.update(t);
      else if (this.layers.ghosts) void other.need(at).then(this.loaded);
    });
    this.showMeasured(t);
    const alone = this.free.body >= 0;
    this.contacts.update(step, alone ? { ...this.layers, forces: false, cones: false } : this.layers, this.highlight);
    this.free.update(step, this.bodies.poses, this.contacts.forceScale, this.contacts.longest);
    this.joints.update(this.bodies.poses, this.layers.joints);
    this.support.update(this.bodies.poses);
    this.skeleton.update(this.bodies.poses);
    this.trails.update(step, this.layers.trails);
    this.track();
    this.dirty = true;
    return true;
  }

  // The ghost of what was measured: as simulated, but for what was seen.
  private showMeasured(t: number): void {
    if (!this.measured) return;
    this.measured.poses.position.set(this.bodies.poses.position);
    this.measured.poses.quat.set(this.bodies.poses.quat);
    this.measured.group.visible = this.layers.measured && placeMeasured(this.runs[0], this.measured.poses, t);
    if (this.measured.group.visible) this.measured.update(t);
  }

  // Where the ghost of a measured body is; undefined: it is not shown.
  measuredPosition(body: number): number[] | undefined {
    return this.measured?.group.visible ? Array.from(this.measured.poses.position.subarray(3 * body, 3 * body + 3)) : undefined;
  }

  private track(): void {
    if (this.follow < 0) return;
    const now = new THREE.Vector3().fromArray(this.bodies.poses.position, 3 * this.follow);
    const moved = now.clone().sub(this.followed);
    this.controls.target.add(moved);
    this.camera.position.add(moved);
    this.followed.copy(now);
    this.controls.update();
  }

  render(): void {
    if (!this.dirty) return;
    this.dirty = false;
    this.renderer.render(this.scene, this.camera);
    const { clientWidth: w, clientHeight: h } = this.host;
    this.free.label((p) => this.project(p), this.contacts.forceScale, this.contacts.longest, w, h);
    this.drawLegend();
  }

  // One body with all that acts on it; the others faint. -1: all bodies.
  freeBody(body: number): void {
    this.free.body = body;
    this.bodies.focus = body;
    this.bodies.recolour();
    this.dirty = true;
  }

  // World axes at the origin of the grid: red x, green y, blue z, one space of the grid long.
  private drawAxes(): void {
    const length = this.bodies.spacing(), planar = this.runs[0].header.dimension === 2;
    const names: [string, THREE.Vector3, string][] = [['x', new THREE.Vector3(1, 0, 0), '#c0392b'], ['y', new THREE.Vector3(0, 1, 0), '#3a8f3a'], ['z', new THREE.Vector3(0, 0, 1), '#2f6fc4']];
    for (const [, direction, colour] of planar ? names.slice(0, 2) : names) {
      const arrow = new THREE.ArrowHelper(direction, new THREE.Vector3(), length, colour, 0.18 * length, 0.09 * length);
      this.axes.add(arrow);
    }
    this.axes.visible = false;
  }

  // The scale of the arrows, and what a square of the grid measures, in the middle of the view.
  private legend = document.createElement('div');
  private drawLegend(): void {
    const target = this.controls.target, right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    const a = this.project(target.toArray()), b = this.project(target.clone().addScaledVector(right, this.size).toArray());
    const perMetre = Math.hypot(b.x - a.x, b.y - a.y) / this.size, perNewton = perMetre * this.contacts.forceScale;
    const nice = (x: number): number => { const ten = Math.pow(10, Math.floor(Math.log10(x))), d = x / ten; return ten * (d < 2 ? 1 : d < 5 ? 2 : 5); };
    const arrows = this.layers.forces || this.free.body >= 0;
    const bars: [number, string, string][] = [[nice(110 / perMetre), 'm', 'length']];
    if (arrows && Number.isFinite(perNewton) && perNewton > 0) bars.push([nice(110 / perNewton), 'N', 'force']);
    this.legend.className = 'scale-bars corner';
    this.legend.replaceChildren(...bars.filter(([v]) => Number.isFinite(v)).map(([value, unit, kind]) => {
      const bar = document.createElement('span');
      bar.className = `bar ${kind}`;
      bar.style.width = `${value * (unit === 'm' ? perMetre : perNewton)}px`;
      bar.textContent = `${+value.toPrecision(3)} ${unit}`;
      return bar;
    }));
    const grid = document.createElement('span');
    grid.textContent = `grid ${+this.bodies.spacing().toPrecision(3)} m`;
    if (this.runs[0].header.dimension === 3 && this.runs[0].header.geoms.some(isUnbounded)) this.legend.append(grid);
    this.axes.visible = this.layers.axes;
  }

  // Where a world point is on the screen, in CSS pixels of the canvas.
  project(p: ArrayLike<number>): { x: number; y: number } {
    this.camera.updateMatrixWorld();
    const v = new THREE.Vector3(p[0], p[1], p[2]).project(this.camera);
    return { x: ((v.x + 1) / 2) * this.host.clientWidth, y: ((1 - v.y) / 2) * this.host.clientHeight };
  }

  bodyPosition(body: number): number[] { return Array.from(this.bodies.poses.position.slice(3 * body, 3 * body + 3)); }

  // The contact whose point is nearest to a place on the screen, within reach of a finger.
  pickContact(x: number, y: number): Contact | undefined {
    let best: Contact | undefined, nearest = 14;
    for (const c of this.contacts.current) {
      const at = this.project(c.point);
      const d = Math.hypot(at.x - x, at.y - y);
      if (d < nearest) { nearest = d; best = c; }
    }
    return best;
  }

  // The joint whose anchor is nearest, or -1.
  pickJoint(x: number, y: number): number {
    let best = -1, nearest = 12;
    if (this.layers.joints) this.joints.anchors.forEach((p, i) => {
      const at = this.project(p), d = Math.hypot(at.x - x, at.y - y);
      if (d < nearest) { nearest = d; best = i; }
    });
    return best;
  }

  // The body under a place on the screen, or -1.
  pickBody(x: number, y: number): number {
    const at = new THREE.Vector2((2 * x) / this.host.clientWidth - 1, 1 - (2 * y) / this.host.clientHeight);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.camera);
    return this.bodies.pick(ray);
  }
}
