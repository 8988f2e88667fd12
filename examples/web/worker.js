// worker.js - the simulation, in a thread of its own
//
// It gets the module as bytes and orders as messages, and posts what the page draws. All numbers
// are in SI units. Messages to the worker, and what answers them:
//
//     {type: 'module', bytes}                starts the module: 'ready', or 'failed'
//     {type: 'open', scene, settings}        builds a scene anew: 'opened', 'frame'; or 'failed'
//     {type: 'set', settings}                changes what can change while it runs
//     {type: 'run', running}                 'frame' after 'frame', one for each 'drawn'
//     {type: 'step'}                         one step, then it is paused: 'frame'
//     {type: 'grab', origin, direction, reach}   takes hold of a handle near a ray, at most `reach`
//                                            times as far from it as from the origin, or of what
//                                            the ray meets: 'grabbed'
//     {type: 'move', target}, {type: 'release'}
//     {type: 'pin', origin, direction}       sets a pin, or frees the one there
//     {type: 'drawn'}                        the page wants the next frame
//     {type: 'run-steps', count}, {type: 'hash'}   for tests: 'hash'
//
// What traps or throws is told by 'failed' as well, whose `order` is the message that led to it.
// A step that fails is told by 'refused'; the world is then as before it, and the next step is
// tried. Beside what the page needs to draw, a surface of 'opened' has midpointOf: for each corner
// of its triangles the number of the midpoint opposite, or null.
'use strict';

const BEHIND_MAX = 0.1; // [s] of simulation that is made up for; beyond it, it goes slower
const BUSY_MAX = 0.05; // [s] of steps before a frame is shown, one step at least
const KINDS = ['cloth', 'ribbon', 'obstacle'];
const STATES = [null, 'searching', 'at rest', 'at its limit']; // of page_rest_state
const SURFACE = ['kind', 'label', 'vertexCount', 'triangleCount', 'midpointCount', 'isNew',
    'triangles', 'midpointOf', 'uv', 'positions', 'normals', 'strain', 'midpoints']; // of module.c

let module = null; // the exports
let scenes = [];
let current = null; // the scene that is open, of `scenes`; null: none
let rate = 60; // [1/s] steps a second
let playing = false;
let waiting = false; // for 'drawn'
let timer = 0;
let before = 0, behind = 0; // [s] when steps were last taken; what they still owe to real time
let number = 0, unconverged = 0; // steps since the start; those taken before they converged
let milliseconds = 0; // of the last step

// ---- The module's memory ----

function text(place) {
    const bytes = new Uint8Array(module.memory.buffer);
    return place ? new TextDecoder().decode(bytes.subarray(place, bytes.indexOf(0, place))) : '';
}

// A copy, which can be handed over; null for no place.
function copy(Type, place, count) {
    return place ? new Type(module.memory.buffer, place, count).slice() : null;
}

function vector(count, from = 0) {
    return Array.from(new Float64Array(module.memory.buffer, module.vector() + 8 * from, count));
}

function setVector(...numbers) {
    new Float64Array(module.memory.buffer, module.vector(), numbers.length).set(numbers);
}

function surfaceOf(index) {
    return Object.fromEntries(SURFACE.map((name, which) => [name, module.surface(index, which)]));
}

// "surfaces cross ... (value 3, sheet and ball)": what failed, and what it is about.
function errorText() {
    const what = text(module.errorText(0)), [index, value] = vector(2);
    const bodies = [1, 2].map((which) => text(module.errorText(which))).filter(Boolean);
    const details = [index >= 0 && `index ${index}`, value && `value ${+value.toPrecision(3)}`,
        bodies.join(' and ')].filter(Boolean);
    return details.length ? `${what} (${details.join(', ')})` : what;
}

// ---- Opening ----

function describeSettings(scene) {
    return Array.from({length: module.settingCount()}, (_, setting) => {
        const [name, label, unit] = [0, 1, 2].map(
            (which) => text(module.settingText(scene, setting, which)));
        const [min, max, step, value, restarts] = vector(5);
        return {name, label, unit, min, max, step, value, restarts: restarts !== 0};
    });
}

function describeScenes() {
    return Array.from({length: module.sceneCount()}, (_, index) => {
        const [name, title, sentence] = [0, 1, 2].map(
            (which) => text(module.sceneText(index, which)));
        return {name, title, text: sentence, settings: describeSettings(index)};
    });
}

function start({bytes}) {
    module = new WebAssembly.Instance(new WebAssembly.Module(bytes), {}).exports;
    scenes = describeScenes();
    postMessage({type: 'ready', precision: module.precision() === 8 ? 'double' : 'single', scenes});
}

// Numbers outside a slider's range become its ends; what is no number is left out.
function set(settings, isAll) {
    current.settings.forEach(({name, min, max, value}, k) => {
        const given = settings && name in settings ? Number(settings[name]) : NaN;
        if (!isAll && !Number.isFinite(given)) return;
        const chosen = Number.isFinite(given) ? Math.min(max, Math.max(min, given)) : value;
        module.set(k, chosen);
        if (name === 'rate') rate = chosen;
    });
}

function memory() {
    const parts = [];
    for (let part = 0, name; (name = module.memoryPart(part)) !== 0; part++)
        parts.push([text(name), vector(1)[0]]);
    return {bytes: module.memoryBytes(), parts};
}

function describeSurfaces() {
    return Array.from({length: module.draw()}, (_, index) => {
        const s = surfaceOf(index);
        return {kind: KINDS[s.kind], label: text(s.label), vertexCount: s.vertexCount,
            triangles: copy(Uint32Array, s.triangles, 3 * s.triangleCount),
            uv: copy(Float32Array, s.uv, 2 * s.vertexCount), midpointCount: s.midpointCount,
            midpointOf: copy(Uint32Array, s.midpointOf, 3 * s.triangleCount)};
    });
}

function open({scene, settings}) {
    const index = Math.max(0, scenes.findIndex(({name}) => name === scene));
    current = scenes[index];
    set(settings, true);
    if (!module.open(index)) {
        current = null;
        postMessage({type: 'failed', order: 'open', message: errorText()});
        return;
    }
    number = unconverged = milliseconds = behind = 0;
    before = performance.now() / 1000;
    module.sceneText(index, 0);
    const camera = {eye: vector(3), target: vector(3, 3)};
    const surfaces = describeSurfaces();
    postMessage({type: 'opened', scene: current.name, memory: memory(), camera, dt: 1 / rate,
        surfaces});
    postFrame(surfaces.length, true);
}

// ---- Frames ----

function pull() {
    if (!module.held()) return null;
    return {point: vector(3), target: vector(3, 3), force: vector(1, 6)[0]};
}

function report() {
    module.report();
    const [, kinetic, potential, bending, lengthError, certified, newton, cg, contacts, crossings,
        collides, state, iterations, distance] = vector(14);
    return {kinetic, potential, bending, total: kinetic + potential + bending, lengthError,
        unconverged, steps: number, collides: collides !== 0, certified: certified !== 0, newton,
        cg, contacts, crossings, milliseconds,
        rest: state ? {state: STATES[state], iterations, distance} : null};
}

// What has not moved since the last frame is null; in the first one everything is new.
function drawSurface(index, isFirst) {
    const s = surfaceOf(index);
    if (!s.isNew && !isFirst)
        return {positions: null, normals: null, strain: null, midpoints: null};
    return {positions: copy(Float32Array, s.positions, 3 * s.vertexCount),
        normals: copy(Float32Array, s.normals, 3 * s.vertexCount),
        strain: copy(Float32Array, s.strain, s.vertexCount),
        midpoints: copy(Float32Array, s.midpoints, 3 * s.midpointCount)};
}

function postFrame(count = module.draw(), isFirst = false) {
    const surfaces = Array.from({length: count}, (_, index) => drawSurface(index, isFirst));
    const arrows = copy(Float32Array, module.arrowPoints(), 6 * module.arrows());
    const pins = copy(Float32Array, module.pinPoints(), 3 * module.pins());
    const curve = copy(Float32Array, module.curveSegments(), 6 * module.curve());
    const handles = copy(Float32Array, module.pinPoints(), 3 * module.handles());
    const figures = report(), [time] = vector(1);
    const arrays = surfaces.flatMap((s) => Object.values(s)).filter((array) => array);
    waiting = true;
    postMessage({type: 'frame', time, number, playing, surfaces, arrows, pins, curve, handles,
        grab: pull(), report: figures},
        [...arrays, arrows, pins, curve, handles].map((array) => array.buffer));
}

// ---- Time ----

function step() {
    const start = performance.now();
    const taken = module.step();
    milliseconds = performance.now() - start;
    if (taken)
        number++;
    else
        postMessage({type: 'refused', message: errorText()});
    if (taken === 2) unconverged++;
}

// Takes the steps that are due, and shows them. Where they take longer than real time, it goes
// slower instead of taking more and more at once.
function advance() {
    clearTimeout(timer);
    if (!playing || waiting || !current) return;
    const now = performance.now() / 1000;
    behind = Math.min(behind + now - before, BEHIND_MAX);
    before = now;
    const due = Math.round(behind * rate);
    if (due === 0) {
        timer = setTimeout(guarded(advance), 1000 * (0.5 / rate - behind) + 1);
        return;
    }
    for (let k = 0; k < due && (k === 0 || performance.now() / 1000 - now < BUSY_MAX); k++) {
        step();
        behind -= 1 / rate;
    }
    postFrame();
}

function run({running}) {
    playing = Boolean(running);
    before = performance.now() / 1000;
    behind = playing ? 1 / rate : 0; // the first step is due at once
    advance();
}

function stepOnce() {
    playing = false;
    step();
    postFrame();
}

// ---- The pointer ----

function grab({origin, direction, reach = 0}) {
    setVector(...origin, ...direction, reach);
    const held = module.takeHold(), hit = held !== 0;
    postMessage({type: 'grabbed', hit, isHandle: held === 2, point: hit ? vector(3) : null,
        distance: hit ? vector(1, 3)[0] : null});
}

function move({target}) {
    setVector(...target);
    module.drag();
}

function pin({origin, direction}) {
    setVector(...origin, ...direction);
    module.togglePin();
    if (!playing) postFrame();
}

// ---- Tests ----

function postHash() {
    const half = (upper) => (module.hash(upper) >>> 0).toString(16).padStart(8, '0');
    postMessage({type: 'hash', value: half(1) + half(0), steps: number});
}

function runSteps({count}) {
    for (let k = 0; k < count; k++) step();
    postHash();
}

// ---- Messages ----

const anytime = {module: start};
const whenReady = {open, run};
const whenOpen = {
    set: ({settings}) => set(settings, false),
    step: stepOnce,
    grab,
    move,
    release: () => module.letGo(),
    pin,
    drawn: () => {
        waiting = false;
        advance();
    },
    hash: postHash,
    'run-steps': runSteps,
};

// Whatever happens, the page learns of it and the worker goes on.
function guarded(act) {
    return (message) => {
        try {
            act(message);
        } catch (error) {
            const order = message ? message.type : 'run';
            postMessage({type: 'failed', order, message: String(error)});
        }
    };
}

onmessage = ({data}) => {
    const act = anytime[data.type] || module && whenReady[data.type] ||
        current && whenOpen[data.type];
    if (act) guarded(act)(data);
};
