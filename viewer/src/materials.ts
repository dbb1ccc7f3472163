// SPDX-License-Identifier: Apache-2.0
// How bodies look: plain when dynamic, banded when moved by a prescribed motion, chevrons that run
// with the surface on belts, and grids or hatching for planes.
import * as THREE from 'three';

export type Look = 'plain' | 'banded' | 'belt';

export interface Belt { velocity: THREE.Vector3; offset: { value: number } }

const BANDS = `
  float ssBand = fract((ssLocal.x + ssLocal.y + ssLocal.z) / ssPitch);
  float ssSoft = fwidth((ssLocal.x + ssLocal.y + ssLocal.z) / ssPitch);
  diffuseColor.rgb *= mix(0.70, 1.04, smoothstep(0.5 - ssSoft, 0.5 + ssSoft, ssBand));`;

const CHEVRONS = `
  vec3 ssSide = abs(ssDirection.z) < 0.9 ? normalize(cross(ssDirection, vec3(0.0, 0.0, 1.0)))
                                         : vec3(1.0, 0.0, 0.0);
  float ssAcross = abs(fract(dot(ssWorld, ssSide) / (2.0 * ssPitch)) - 0.5);
  float ssPhase = (dot(ssWorld, ssDirection) - ssOffset) / ssPitch + ssAcross;
  float ssBand = abs(fract(ssPhase) - 0.5);
  diffuseColor.rgb *= mix(0.62, 1.04, smoothstep(0.14, 0.14 + 2.0 * fwidth(ssPhase), ssBand));`;

function decorate(material: THREE.Material, look: Look, pitch: number, belt?: Belt): void {
  material.onBeforeCompile = (shader) => {
    shader.uniforms.ssPitch = { value: pitch };
    if (belt) {
      shader.uniforms.ssDirection = { value: belt.velocity.clone().normalize() };
      shader.uniforms.ssOffset = belt.offset;
    }
    const names = 'varying vec3 ssLocal; varying vec3 ssWorld;\n';
    shader.vertexShader = names + shader.vertexShader.replace('#include <begin_vertex>', `
      #include <begin_vertex>
      ssLocal = position;
      vec4 ssPlace = vec4(position, 1.0);
      #ifdef USE_INSTANCING
        ssPlace = instanceMatrix * ssPlace;
      #endif
      ssWorld = (modelMatrix * ssPlace).xyz;`);
    shader.fragmentShader = names + 'uniform float ssPitch; uniform vec3 ssDirection; uniform float ssOffset;\n' +
      shader.fragmentShader.replace('#include <color_fragment>',
        '#include <color_fragment>\n' + (look === 'belt' ? CHEVRONS : BANDS));
  };
  material.customProgramCacheKey = () => `ss-${look}`;
}

export function bodyMaterial(dimension: number, look: Look, pitch: number, ghost: boolean, belt?: Belt): THREE.Material {
  const common = { vertexColors: true, transparent: ghost, opacity: ghost ? 0.28 : 1, depthWrite: !ghost,
    // a ghost that lies where the body is leaves it to be seen
    polygonOffset: ghost, polygonOffsetFactor: 2, polygonOffsetUnits: 8 };
  const material = dimension === 2
    ? new THREE.MeshBasicMaterial({ ...common, side: THREE.DoubleSide })
    : new THREE.MeshStandardMaterial({ ...common, roughness: 0.72, metalness: 0 });
  if (look !== 'plain') decorate(material, look, pitch, belt);
  return material;
}

const SURFACE_VERTEX = `
  varying vec2 at; varying vec3 from; uniform vec3 centre;
  void main() {
    at = position.xy;
    vec4 world = modelMatrix * vec4(position, 1.0);
    from = world.xyz - centre;
    gl_Position = projectionMatrix * viewMatrix * world;
  }`;

const GRID_FRAGMENT = `
  varying vec2 at; varying vec3 from;
  uniform vec3 ink; uniform float spacing, reach, banded, offset; uniform vec2 direction;
  float grid(vec2 p, float width) {
    vec2 soft = fwidth(p) * width;
    vec2 d = abs(fract(p - 0.5) - 0.5);
    vec2 g = 1.0 - smoothstep(soft * 0.5, soft * 1.5, d);
    return max(g.x, g.y) * (1.0 - clamp(max(fwidth(p).x, fwidth(p).y) * 1.5, 0.0, 1.0));
  }
  void main() {
    vec2 p = (at - direction * offset) / spacing;
    float lines = max(0.45 * grid(p, 0.8), 0.9 * grid(p / 5.0, 1.0));
    float fade = 1.0 - smoothstep(0.25 * reach, reach, length(from));
    float tint = 0.16;
    if (banded > 0.5) {
      vec2 side = vec2(-direction.y, direction.x);
      float across = abs(fract(dot(p, side) * 0.5) - 0.5);
      float phase = dot(p, direction) * 0.5 + across;
      float arrow = 1.0 - smoothstep(0.09, 0.09 + 1.5 * fwidth(phase), abs(fract(phase) - 0.5));
      tint += 0.3 * arrow * (1.0 - smoothstep(0.26, 0.27 + fwidth(across), across));
    }
    gl_FragColor = vec4(ink, fade * max(tint, lines * 0.75));
    #include <colorspace_fragment>
  }`;

// 2D: the ground as engineers draw it, a line with hatching below that fades out.
const HATCH_FRAGMENT = `
  varying vec2 at; varying vec3 from;
  uniform vec3 ink; uniform float spacing, reach, banded, offset; uniform vec2 direction;
  void main() {
    float x = at.x - direction.x * offset;
    float stripe = (x + at.y) / (0.35 * spacing);
    float soft = fwidth(stripe);
    float line = 1.0 - smoothstep(0.06, 0.06 + 1.5 * soft, abs(fract(stripe) - 0.5));
    float deep = smoothstep(-0.9 * spacing, 0.0, at.y);
    float top = 1.0 - smoothstep(0.0, 2.5 * fwidth(at.y), -at.y);
    float ends = 1.0 - smoothstep(0.6 * reach, reach, length(from));
    float dash = banded > 0.5 ? step(0.35, fract(x / (0.7 * spacing))) : 1.0;
    gl_FragColor = vec4(ink, ends * max(max(0.10 * deep, line * deep * deep * 0.55), top * dash * 0.95));
    #include <colorspace_fragment>
  }`;

export interface SurfaceUniforms {
  [name: string]: THREE.IUniform;
  ink: { value: THREE.Color }; offset: { value: number };
}

export function surfaceMaterial(dimension: number, spacing: number, reach: number, centre: THREE.Vector3,
  banded: boolean, direction: THREE.Vector2): THREE.ShaderMaterial {
  const uniforms: SurfaceUniforms = {
    ink: { value: new THREE.Color() }, offset: { value: 0 }, spacing: { value: spacing },
    reach: { value: reach }, centre: { value: centre }, banded: { value: banded ? 1 : 0 },
    direction: { value: direction },
  };
  return new THREE.ShaderMaterial({
    uniforms, vertexShader: SURFACE_VERTEX, transparent: true, depthWrite: false, side: THREE.DoubleSide,
    fragmentShader: dimension === 2 ? HATCH_FRAGMENT : GRID_FRAGMENT,
  });
}
