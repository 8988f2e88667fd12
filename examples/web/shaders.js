'use strict';
// The shaders of draw.js, in GLSL. What they have in common is set before them when they are made.

// MODE is 0 shaded, 1 checked, 2 strain, 3 triangles. FINE is 1 for softer shadows.
const SURFACE_VERTEX = `
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 3) in float strain;
layout(location = 4) in vec3 corner;
uniform mat4 view, light;
uniform vec3 toLight, eye;
uniform float offset;
out vec3 vNormal, vShadow;
out float vRim;
#if MODE == 1
out vec2 vUv;
#elif MODE == 2
out float vStrain;
#elif MODE == 3
out vec3 vCorner;
#endif
void main() {
    vNormal = normal;
    float along = dot(normal, normalize(eye - position));
    vRim = 1.0 - along * along;
#if MODE == 1
    vUv = uv;
#elif MODE == 2
    vStrain = clamp((log2(max(strain, 1e-9)) * 0.30103 + 6.0) / 5.0, 0.0, 1.0);
#elif MODE == 3
    vCorner = corner;
#endif
    // Shadows are looked up a little beside the surface, on its lit side.
    vec3 lit = position + normal * (dot(normal, toLight) < 0.0 ? -offset : offset);
    vShadow = (light * vec4(lit, 1.0)).xyz * 0.5 + 0.5;
    gl_Position = view * vec4(position, 1.0);
}`;

const SURFACE_FRAGMENT = `
in vec3 vNormal, vShadow;
in float vRim;
uniform vec3 front, back, line, toLight;
uniform float texel, ambient;
uniform mediump sampler2DShadow shadow;
out vec4 colour;

float lit() {
    vec2 beside = abs(vShadow.xy - 0.5);
    if (max(beside.x, beside.y) > 0.499) return 1.0; // not on the map
#if FINE == 0
    return 0.5 * (texture(shadow, vShadow + vec3(1.0, 0.4, 0.0) * texel) +
        texture(shadow, vShadow - vec3(1.0, 0.4, 0.0) * texel));
#endif
    return 0.25 * (texture(shadow, vShadow + vec3(1.4, 0.6, 0.0) * texel) +
        texture(shadow, vShadow + vec3(-0.6, 1.4, 0.0) * texel) +
        texture(shadow, vShadow + vec3(-1.4, -0.6, 0.0) * texel) +
        texture(shadow, vShadow + vec3(0.6, -1.4, 0.0) * texel));
}

#if MODE == 1
in vec2 vUv;
// 0 or 1 in the squares of 5 cm, smooth over a pixel at their borders.
float checker() {
    vec2 p = vUv * 10.0, width = max(fwidth(p), 1e-4);
    vec2 wave = clamp((abs(fract(p) - 0.5) - 0.25) * 2.0 / width, -1.0, 1.0);
    return 0.5 - 0.5 * wave.x * wave.y;
}
#elif MODE == 2
in float vStrain;
vec3 scale(float s) { // the colours of #strain-scale in page.css
    vec3 c = mix(vec3(0.16, 0.27, 0.55), vec3(0.13, 0.56, 0.62), clamp(4.0 * s, 0.0, 1.0));
    c = mix(c, vec3(0.47, 0.77, 0.45), clamp(4.0 * s - 1.0, 0.0, 1.0));
    c = mix(c, vec3(0.97, 0.80, 0.32), clamp(4.0 * s - 2.0, 0.0, 1.0));
    return mix(c, vec3(0.84, 0.24, 0.24), clamp(4.0 * s - 3.0, 0.0, 1.0));
}
#elif MODE == 3
in vec3 vCorner;
#endif

void main() {
    bool outside = gl_FrontFacing;
    vec3 n = normalize(outside ? vNormal : -vNormal);
    vec3 base = outside ? front : back;
#if MODE == 1
    base = mix(base, outside ? back : front, 0.86 * checker());
#elif MODE == 2
    base = scale(vStrain);
    base *= base;
#endif
    float direct = dot(n, toLight);
    float sun = max(direct, -0.22 * direct) * lit(); // some light comes through
    float sky = ambient * (0.62 + 0.38 * n.y);
    float light = sky + 0.85 * sun;
#if MODE == 2
    light = mix(0.85, light, 0.4); // the colours mean something: little shade
#endif
    vec3 c = base * light + 0.035 * vRim * vRim;
#if MODE == 3
    vec3 edge = vCorner / max(fwidth(vCorner), 1e-5);
    c = mix(line, c, clamp(min(edge.x, min(edge.y, edge.z)) + 0.35, 0.35, 1.0));
#endif
    colour = vec4(sqrt(c), 1.0); // gamma 2, cheap
}`;

const DEPTH_VERTEX = `
layout(location = 0) in vec3 position;
uniform mat4 view;
void main() { gl_Position = view * vec4(position, 1.0); }`;
const DEPTH_FRAGMENT = `
out vec4 colour;
void main() { colour = vec4(1.0); }`;

// The mean of coarse images of the shadow, a little apart: a soft shadow.
const SOFT_VERTEX = `
out vec2 vPlace;
void main() {
    vPlace = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0;
    gl_Position = vec4(vPlace * 2.0 - 1.0, 0.0, 1.0);
}`;
const SOFT_FRAGMENT = `
in vec2 vPlace;
uniform sampler2D image;
out vec4 colour;
void main() {
    float sum = 0.0;
    for (int k = 0; k < 4; k++) {
        vec2 apart = vec2(k & 1, k >> 1) - 0.5;
        sum += textureLod(image, vPlace + 0.022 * apart, 2.0).r;
        sum += textureLod(image, vPlace + 0.045 * apart.yx, 3.0).r;
    }
    colour = vec4(sum / 8.0);
}`;

// The soft shadow lies on a level below all cloth.
const FLOOR_VERTEX = `
uniform mat4 view;
uniform vec3 centre, right, up, toLight;
uniform float level;
out vec2 vPlace;
void main() {
    vPlace = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec3 p = centre + (2.0 * vPlace.x - 1.0) * right + (2.0 * vPlace.y - 1.0) * up;
    p += toLight * (level - p.y) / toLight.y;
    gl_Position = view * vec4(p, 1.0);
}`;
const FLOOR_FRAGMENT = `
in vec2 vPlace;
uniform sampler2D image;
uniform float strength;
out vec4 colour;
void main() { colour = vec4(0.0, 0.0, 0.0, texture(image, vPlace).r * strength); }`;

// An arrow or line is nine vertices that face the viewer: two triangles and a head.
const ARROW_VERTEX = `
layout(location = 0) in vec3 start;
layout(location = 1) in vec3 way;
uniform mat4 view;
uniform vec2 size; // of the picture [pixels]
uniform float stretch, width, head;
void main() {
    vec4 a = view * vec4(start, 1.0), b = view * vec4(start + stretch * way, 1.0);
    vec2 from = a.xy / a.w * size, to = b.xy / b.w * size, along = to - from;
    float pixels = length(along);
    along = pixels > 1e-3 ? along / pixels : vec2(0.0, 1.0);
    float tip = min(head, 0.6 * pixels);
    bool shaft = gl_VertexID < 6;
    int k = shaft ? (gl_VertexID < 3 ? gl_VertexID : gl_VertexID - 2) : gl_VertexID - 6;
    float side = shaft ? ((k & 1) == 0 ? -width : width) : (k == 2 ? 0.0 : float(2 * k - 1));
    if (!shaft) side *= 0.45 * tip;
    bool end = shaft ? k > 1 : true;
    float back = shaft ? (k > 1 ? tip : 0.0) : (k == 2 ? 0.0 : tip);
    vec2 p = (end ? to - along * back : from) + vec2(-along.y, along.x) * side;
    float depth = end ? b.z / b.w : a.z / a.w;
    gl_Position = vec4(p / size, depth - 2e-4, 1.0);
}`;
const FLAT_FRAGMENT = `
uniform vec4 flatColour;
out vec4 colour;
void main() { colour = vec4(flatColour.rgb * flatColour.a, flatColour.a); }`;

const DOT_VERTEX = `
layout(location = 0) in vec3 position;
uniform mat4 view;
uniform float diameter;
void main() {
    gl_Position = view * vec4(position, 1.0);
    gl_Position.z -= 0.002 * gl_Position.w;
    gl_PointSize = diameter;
}`;
const DOT_FRAGMENT = `
uniform vec4 flatColour;
uniform vec3 ring;
uniform float diameter, border;
out vec4 colour;
void main() {
    float r = length(gl_PointCoord - 0.5) * diameter, alpha = clamp(0.5 * diameter - r, 0.0, 1.0);
    vec3 c = mix(flatColour.rgb, ring, clamp(r - 0.5 * diameter + border + 0.5, 0.0, 1.0));
    colour = vec4(c, 1.0) * alpha * flatColour.a;
}`;
