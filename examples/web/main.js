'use strict';
// Ties the page together: the worker, the controls, the address, mouse, fingers and keys.

// For tests and the curious. frames: count of those drawn. on(type, handler) is called with each
// message of the worker of that type; send(message) posts one to it. project(point [m]) returns
// [clientX, clientY] of the picture. lastFrame: the latest message 'frame', with all positions.
window.devcloth = {frames: 0, lastFrame: null, project: null, send: null, on: null};

const find = (id) => document.getElementById(id);
const picture = find('picture');
const still = matchMedia('(prefers-reduced-motion: reduce)');
const dark = matchMedia('(prefers-color-scheme: dark)');
const panels = createPanels();
let renderer = null; // made below, once the worker is on its way; null without WebGL

let scenes = [], scene = null; // as in the message 'ready'
let settings = {}; // of the scene: a number a name
let view = 'shaded';
let running = !still.matches;
let camera = {target: [0, 0, 0], yaw: 0, pitch: 0.2, distance: 3};
let home = camera; // the scene's own
let surfaces = [], frame = null, waiting = null; // waiting: the frame that is to be drawn next
let dirty = true; // the camera or the view has changed

// ---- The worker ----

const handlers = {};
let worker = null;

function on(type, handler) {
    (handlers[type] = handlers[type] || []).push(handler);
}

function send(message, transfer = []) {
    if (worker) worker.postMessage(message, transfer);
}

async function moduleBytes() {
    const {textContent, dataset} = find('wasm');
    const bytes = Uint8Array.from(atob(textContent.trim()), (c) => c.charCodeAt(0));
    if (dataset.encoding !== 'gzip') return bytes.buffer;
    const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(inflated).arrayBuffer();
}

async function startWorker() {
    const text = new Blob([find('worker').textContent], {type: 'text/javascript'});
    worker = new Worker(URL.createObjectURL(text));
    worker.onmessage = ({data}) => (handlers[data.type] || []).forEach((handle) => handle(data));
    worker.onerror = (event) => say(`The simulation has stopped: ${event.message}`);
    const bytes = await moduleBytes();
    send({type: 'module', bytes}, [bytes]);
}

// ---- The status line ----

let said = {text: '', number: -1, at: 0};

// number: of the frame after which the message may go; Infinity: it stays until something opens.
function say(text, number = frame ? frame.number : -1) {
    said = {text, number, at: performance.now()};
    find('status').textContent = text;
}

// A message stays for three seconds at least, and until the simulation goes on.
function clearStatus(number) {
    if (said.text && number > said.number && performance.now() - said.at > 3000) say('');
}

// ---- Scene, settings and the address ----

function readAddress() {
    const parameters = new URLSearchParams(location.hash.slice(1));
    const name = parameters.get('scene');
    const wanted = scenes.find((s) => s.name === name) || scenes[0];
    const values = {};
    for (const {name: key, value} of wanted.settings) {
        const given = parameters.has(key) ? parseFloat(parameters.get(key)) : NaN;
        values[key] = Number.isFinite(given) ? given : value;
    }
    const place = (parameters.get('camera') || '').split(',').map(parseFloat);
    return {wanted, values, unknown: name !== null && wanted.name !== name ? name : null,
        view: parameters.get('view'),
        place: place.length === 3 && place.every(Number.isFinite) ? place : null};
}

function writeAddress() {
    const parts = [`scene=${encodeURIComponent(scene.name)}`];
    for (const {name, value} of scene.settings)
        if (settings[name] !== value) parts.push(`${name}=${settings[name]}`);
    if (view !== 'shaded') parts.push(`view=${view}`);
    const {yaw, pitch, distance} = camera;
    if (yaw !== home.yaw || pitch !== home.pitch || distance !== home.distance)
        parts.push(`camera=${[yaw, pitch, distance].map((n) => n.toFixed(2)).join(',')}`);
    history.replaceState(null, '', '#' + parts.join('&'));
}

let writing = 0; // the address is written when changes have ceased for a moment

function writeAddressSoon() {
    clearTimeout(writing);
    writing = setTimeout(writeAddress, 250);
}

let placeOfLink = null; // the camera that a link asks for, until its scene is open

function followAddress() {
    const address = readAddress();
    placeOfLink = address.place;
    setView(document.querySelector(`#views input[value="${CSS.escape(address.view || '')}"]`) ?
        address.view : 'shaded');
    openScene(address.wanted, address.values);
    if (address.unknown !== null)
        say(`There is no scene called “${address.unknown}”; this is “${scene.title}”.`, 0);
}

function openScene(wanted, values) {
    const other = wanted !== scene;
    scene = wanted;
    settings = values;
    if (other) surfaces = [];
    find('scene').value = scene.name;
    find('title').textContent = scene.title;
    find('text').textContent = scene.text;
    showSettings();
    if (said.text) say('');
    send({type: 'open', scene: scene.name, settings});
    run(running);
}

const openNamed = (wanted) => {
    const values = {};
    for (const {name, value} of wanted.settings) values[name] = value;
    openScene(wanted, values);
    writeAddressSoon();
};

function showSettings() {
    const form = find('settings');
    if (form.dataset.scene !== scene.name) {
        form.textContent = '';
        form.dataset.scene = scene.name;
        for (const setting of scene.settings) {
            const row = slider(setting);
            row.hidden = setting.min === setting.max; // the scene has no use for it
            form.append(row);
        }
    }
    for (const row of form.children) row.update();
}

function slider({name, label, unit, min, max, step, restarts}) {
    const row = document.createElement('div');
    const id = `setting-${name}`, places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    row.className = 'setting';
    row.innerHTML = `<label></label><output></output><input type="range">`;
    const [text, output, input] = row.children;
    Object.assign(input, {id, name, min, max, step});
    text.htmlFor = output.htmlFor = id;
    text.textContent = label;
    const show = () => {
        output.textContent = `${Number(input.value).toFixed(places)} ${unit || ''}`.trim();
        input.setAttribute('aria-valuetext', output.textContent);
    };
    input.addEventListener('input', () => {
        settings[name] = Number(input.value);
        show();
        if (!restarts) send({type: 'set', settings: {[name]: settings[name]}});
        writeAddressSoon();
    });
    if (restarts) input.addEventListener('change', () => openScene(scene, settings));
    row.update = () => {
        input.value = settings[name]; // the input takes the nearest value of the slider
        settings[name] = Number(input.value);
        show();
    };
    return row;
}

// ---- Buttons ----

function run(wanted) {
    running = wanted;
    find('run').textContent = running ? 'Pause' : 'Run';
    send({type: 'run', running});
}

function oneStep() {
    run(false);
    send({type: 'step'});
}

const reset = () => scene && openScene(scene, settings);

function setView(name) {
    view = name;
    document.querySelector(`#views input[value="${name}"]`).checked = true;
    for (const kind of ['checked', 'strain', 'forces', 'triangles'])
        find(`${kind}-legend`).hidden = kind !== view || !renderer;
    dirty = true;
}

find('run').addEventListener('click', () => run(!running));
find('step').addEventListener('click', oneStep);
find('reset').addEventListener('click', reset);
find('settings').addEventListener('submit', (event) => event.preventDefault());
find('scene').addEventListener('change', (event) => {
    openNamed(scenes.find(({name}) => name === event.target.value));
});
find('views').addEventListener('change', (event) => {
    setView(event.target.value);
    writeAddressSoon();
});
window.addEventListener('hashchange', () => scenes.length && followAddress());

// ---- The camera, and rays from it ----

const aspect = () => picture.clientWidth / Math.max(1, picture.clientHeight);

function rayAt(clientX, clientY) {
    const {left, top, width, height} = picture.getBoundingClientRect();
    const {eye, right, up, back, tangent} = cameraBasis(camera, aspect());
    const x = (2 * (clientX - left) / width - 1) * tangent * aspect();
    const y = (1 - 2 * (clientY - top) / height) * tangent;
    const ahead = Vec.sub(Vec.add(Vec.scale(right, x), Vec.scale(up, y)), back);
    return {origin: eye, direction: Vec.normalize(ahead), back};
}

function project(point) {
    const {left, top, width, height} = picture.getBoundingClientRect();
    const {eye, right, up, back, tangent} = cameraBasis(camera, aspect());
    const way = Vec.sub(point, eye), depth = -Vec.dot(way, back) * tangent;
    return [left + width * 0.5 * (1 + Vec.dot(way, right) / (depth * aspect())),
        top + height * 0.5 * (1 - Vec.dot(way, up) / depth)];
}

function turn(dx, dy) {
    const pitch = Math.max(-1.5, Math.min(1.5, camera.pitch + dy));
    camera = {...camera, yaw: camera.yaw + dx, pitch};
    moved();
}

function zoom(factor) {
    const distance = Math.max(0.2 * home.distance,
        Math.min(5 * home.distance, camera.distance * factor));
    camera = {...camera, distance};
    moved();
}

function moved() {
    dirty = true;
    writeAddressSoon();
}

function setCamera({eye, target}) {
    const way = Vec.sub(eye, target), distance = Vec.length(way);
    home = {target, distance, yaw: Math.atan2(way[0], way[2]), pitch: Math.asin(way[1] / distance)};
    camera = home;
}

// ---- Grabbing ----

// The target moves in the plane through the grabbed point that faces the camera; that of a handle in
// a level plane, if it is seen from above.

let hold = null; // {point, isHandle, x, y}: what is grabbed, and where the pointer is
const LEVEL_PITCH = 0.3; // [rad] of the camera, from which on handles are moved level
let asked = 0; // grabs that are not yet answered

// A handle is grabbed from so many pixels away; by key, the nearest one from anywhere.
const REACH = 18;

function grabAt(x, y) {
    const {origin, direction} = rayAt(x, y);
    const reach = byKeys ? 10 : REACH * 2 * TANGENT / Math.max(1, picture.clientHeight);
    asked++;
    send({type: 'grab', origin, direction, reach});
}

function moveTo(x, y) {
    const {origin, direction, back} = rayAt(x, y);
    const isLevel = hold.isHandle && Math.abs(camera.pitch) > LEVEL_PITCH;
    const normal = isLevel ? [0, 1, 0] : back;
    const along = Vec.dot(Vec.sub(hold.point, origin), normal) / Vec.dot(direction, normal);
    if (!(along > 0 && along < 3 * camera.distance)) return; // near the horizon
    const target = Vec.add(origin, Vec.scale(direction, along));
    Object.assign(hold, {x, y});
    send({type: 'move', target});
    if (!running) showGrip({point: hold.point, target});
}

// While the simulation is paused, no frame brings the grip.
function showGrip(grab) {
    if (renderer) renderer.setGrip(grab);
    dirty = true;
}

function release() {
    hold = null;
    picture.classList.remove('holding');
    send({type: 'release'});
    if (!running) showGrip(null);
}

function pinAt(x, y) {
    const {origin, direction} = rayAt(x, y);
    send({type: 'pin', origin, direction});
}

on('grabbed', ({hit, isHandle, point}) => {
    if (--asked) return;
    if (gesture && gesture.kind === 'asking') {
        gesture.kind = hit ? 'pull' : 'turn';
        if (!hit) return turnTo(gesture.x, gesture.y);
    } else if (!hit || !byKeys) {
        return;
    }
    hold = {point, isHandle, x: 0, y: 0};
    picture.classList.add('holding');
    if (gesture) moveTo(gesture.x, gesture.y);
    else Object.assign(hold, isHandle ? placeOf(point) : middle());
});

// ---- Mouse and fingers ----

const pointers = new Map(); // those that are down: {x, y}
let gesture = null; // {kind: 'asking', 'pull', 'turn' or 'pinch', x, y, ...}
let tap = null; // the last short touch: {x, y, at}
const TAP = {pixels: 8, milliseconds: 350, apart: 30};

function turnTo(x, y) {
    turn(-0.006 * (x - gesture.fromX), 0.006 * (y - gesture.fromY));
    Object.assign(gesture, {fromX: x, fromY: y});
}

function spread() {
    const [a, b] = [...pointers.values()];
    return {size: Math.hypot(a.x - b.x, a.y - b.y) || 1, x: (a.x + b.x) / 2, y: (a.y + b.y) / 2};
}

picture.addEventListener('pointerdown', (event) => {
    const {pointerId, clientX: x, clientY: y, button} = event;
    picture.setPointerCapture(pointerId);
    pointers.set(pointerId, {x, y});
    if (pointers.size === 2) {
        if (gesture.kind === 'asking' || gesture.kind === 'pull') release();
        const {size, x: fromX, y: fromY} = spread();
        gesture = {kind: 'pinch', size, fromX, fromY};
        tap = null;
    } else if (pointers.size === 1) {
        const kind = button === 0 && scene ? 'asking' : 'turn';
        byKeys = false;
        gesture = {kind, x, y, fromX: x, fromY: y, startX: x, startY: y, at: event.timeStamp};
        if (kind === 'asking') grabAt(x, y);
    }
});

picture.addEventListener('pointermove', (event) => {
    const {pointerId, clientX: x, clientY: y} = event;
    if (!pointers.has(pointerId)) return;
    pointers.set(pointerId, {x, y});
    if (gesture.kind === 'pinch') {
        if (pointers.size !== 2) return;
        const now = spread();
        zoom(gesture.size / now.size);
        turnTo(now.x, now.y);
        gesture.size = now.size;
        return;
    }
    Object.assign(gesture, {x, y});
    if (gesture.kind === 'pull') moveTo(x, y);
    if (gesture.kind === 'turn') turnTo(x, y);
});

function pointerEnds(event) {
    const {pointerId, clientX: x, clientY: y, timeStamp} = event;
    if (!pointers.delete(pointerId)) return;
    if (pointers.size) return; // the finger that stays does nothing
    const {kind, startX, startY, at} = gesture;
    gesture = null;
    if (kind === 'asking' || kind === 'pull') release();
    const short = kind !== 'pinch' && event.type === 'pointerup' && event.button === 0 &&
        timeStamp - at < TAP.milliseconds && Math.hypot(x - startX, y - startY) < TAP.pixels;
    const second = short && tap && at - tap.at < TAP.milliseconds &&
        Math.hypot(x - tap.x, y - tap.y) < TAP.apart;
    if (second) pinAt(x, y);
    tap = short && !second ? {x, y, at: timeStamp} : null;
}

picture.addEventListener('pointerup', pointerEnds);
picture.addEventListener('pointercancel', pointerEnds);
picture.addEventListener('contextmenu', (event) => event.preventDefault());
picture.addEventListener('wheel', (event) => {
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === 1 ? 30 : 1);
    zoom(Math.exp(pixels * (event.ctrlKey ? 0.01 : 0.0012)));
}, {passive: false});

// ---- Keys ----

let byKeys = false; // a grab by key G

function middle() {
    const {left, top, width, height} = picture.getBoundingClientRect();
    return {x: left + width / 2, y: top + height / 2};
}

function placeOf(point) {
    const [x, y] = project(point);
    return {x, y};
}

function grabByKey() {
    if (hold || byKeys) {
        byKeys = false;
        release();
    } else if (!gesture) {
        byKeys = true;
        grabAt(middle().x, middle().y);
    }
}

function arrow(x, y) {
    if (hold) moveTo(hold.x + 12 * x, hold.y + 12 * y);
    else turn(-0.08 * x, 0.08 * y);
}

const PICTURE_KEYS = {
    ArrowLeft: () => arrow(-1, 0), ArrowRight: () => arrow(1, 0),
    ArrowUp: () => arrow(0, -1), ArrowDown: () => arrow(0, 1),
    '+': () => zoom(0.9), '=': () => zoom(0.9), '-': () => zoom(1 / 0.9),
    g: grabByKey, p: () => pinAt(middle().x, middle().y),
};
const PAGE_KEYS = {' ': () => run(!running), '.': oneStep, r: reset};

document.addEventListener('keydown', (event) => {
    const {key, target} = event;
    if (event.ctrlKey || event.altKey || event.metaKey || !scene) return;
    if (target.closest('select')) return;
    if (key === ' ' && target.closest('button, summary, input')) return;
    const name = key.length === 1 ? key.toLowerCase() : key;
    const act = (target === picture && PICTURE_KEYS[name]) || PAGE_KEYS[name] ||
        (/^[1-9]$/.test(key) && scenes[key - 1] && (() => openNamed(scenes[key - 1])));
    if (!act) return;
    event.preventDefault();
    act();
});

// ---- Messages of the worker ----

on('ready', (message) => {
    scenes = message.scenes;
    for (const {name, title} of scenes) find('scene').append(new Option(title, name));
    followAddress();
});

on('opened', (message) => {
    const other = home.scene !== message.scene;
    surfaces = message.surfaces;
    if (renderer) renderer.open(surfaces);
    panels.clear();
    panels.showMemory(message.memory);
    frame = waiting = null;
    if (other) setCamera(message.camera);
    home.scene = message.scene;
    if (placeOfLink) {
        const [yaw, pitch, distance] = placeOfLink;
        camera = {...home, yaw, pitch, distance};
        placeOfLink = null;
    }
    showLabels();
    writeAddressSoon();
});

// What does not move comes once; it is kept from the frame before.
on('frame', (message) => {
    if (message.surfaces.length !== surfaces.length) return;
    message.surfaces = message.surfaces.map((latest, k) =>
        latest && latest.positions ? latest : frame ? frame.surfaces[k] : latest);
    frame = waiting = message;
    window.devcloth.lastFrame = frame;
    clearStatus(frame.number);
});

on('refused', ({message}) => say(`A step was refused: ${message}`));
on('failed', ({order, message}) => say(order === 'open' ?
    `This scene cannot be opened: ${message}` : `The simulation has failed: ${message}`, Infinity));

// ---- Drawing ----

let fine = false; // smooth borders and softer shadows
let resolution = 1; // canvas pixels for each pixel of the screen; less where drawing is slow
let coarse = 0; // the time of the last picture that was not the best, 0 if it was

function fitCanvas(share) {
    const ratio = Math.min(2, window.devicePixelRatio || 1) * share;
    const width = Math.max(1, Math.round(picture.clientWidth * ratio));
    const height = Math.max(1, Math.round(picture.clientHeight * ratio));
    if (picture.width !== width || picture.height !== height) {
        Object.assign(picture, {width, height});
        dirty = true;
    }
    return ratio;
}

// Draws more coarsely if pictures take more than 1/50 s each over half a second, as long as that
// helps. Tries to draw better again when all was calm for a while, each time for twice as long.
const pace = {pictures: 0, since: 0, before: null, calm: 0, patience: 1};

function keepPace(now) {
    if (!pace.since) return Object.assign(pace, {pictures: 0, since: now});
    pace.pictures++;
    if (now - pace.since < 500) return;
    const mean = (now - pace.since) / pace.pictures, {before} = pace;
    Object.assign(pace, {pictures: 0, since: now, before: null});
    pace.calm = mean < 18 ? pace.calm + 1 : 0;
    if (mean > 20 && fine) {
        fine = false;
    } else if (mean > 20 && before && mean > 0.93 * before.mean) {
        resolution = before.resolution;
    } else if (mean > 20 && resolution > 0.7) {
        pace.before = {mean, resolution};
        resolution *= 0.85;
    } else if (pace.calm > pace.patience && !fine) {
        if (resolution === 1) fine = true;
        resolution = 1;
        pace.calm = 0;
        pace.patience *= 2;
    }
}

// Several sheets side by side have names, above their upper ends.
function showLabels() {
    const sheets = surfaces.filter(({kind}) => kind !== 'obstacle');
    find('labels').textContent = '';
    for (const surface of surfaces) surface.tag = null;
    if (sheets.length < 2 || !renderer) return;
    for (const surface of sheets) {
        surface.tag = document.createElement('span');
        surface.tag.textContent = surface.label;
        find('labels').append(surface.tag);
    }
}

function placeLabels() {
    surfaces.forEach(({tag}, k) => {
        if (!tag) return;
        const {left, top} = picture.getBoundingClientRect();
        const {low, high} = boundsOf([frame.surfaces[k].positions]);
        const [x, y] = project([0.5 * (low[0] + high[0]), high[1], 0.5 * (low[2] + high[2])]);
        tag.style.left = `${Math.round(x - left)}px`;
        tag.style.top = `${Math.round(y - top - 24)}px`;
    });
}

const written = {at: 0, frames: 0};

function writeFigures(now) {
    if (now - written.at < 400) return;
    const rate = (window.devcloth.frames - written.frames) * 1000 / (now - written.at);
    Object.assign(written, {at: now, frames: window.devcloth.frames});
    panels.write(rate.toFixed(0));
    const force = renderer ? renderer.longestForce() : 0;
    const text = force ? `Longest arrow: ${quantity(force, 'N')}` : 'No forces to show';
    if (find('forces-legend').textContent !== text) find('forces-legend').textContent = text;
}

const chart = {due: false, at: 0};

// What moves is drawn as well as time allows; what stands still for a moment, at its best.
function tick(now) {
    requestAnimationFrame(tick);
    const latest = waiting;
    const best = !latest && !dirty && coarse && now - coarse > 250;
    const ratio = fitCanvas(best || !(latest || dirty || coarse) ? 1 : resolution);
    waiting = null;
    if (latest) {
        send({type: 'drawn'}); // the worker computes the next while this one is drawn
        panels.add(latest);
        if (renderer) renderer.update(latest);
    }
    if (frame && (latest || dirty || best)) {
        if (renderer) renderer.draw(camera, view, ratio, best || fine);
        placeLabels();
        dirty = false;
        coarse = best || fine && resolution === 1 ? 0 : now;
        if (!best) keepPace(now);
        window.devcloth.frames++;
    } else {
        pace.since = 0;
    }
    if (latest) chart.due = true;
    if (chart.due && now - chart.at > 100) {
        Object.assign(chart, {due: false, at: now});
        panels.draw();
    }
    writeFigures(now);
}

function readColours() {
    const style = getComputedStyle(document.documentElement);
    const triple = (name) =>
        style.getPropertyValue(`--draw-${name}`).trim().split(/\s+/).map(Number);
    const names = 'front back obstacle line midpoint accent force pin paper paperFar'.split(' ');
    const colours = Object.fromEntries(names.map((name) => [name, triple(name)]));
    [colours.ambient] = triple('ambient');
    if (renderer) renderer.setColours(colours);
    dirty = true;
    panels.draw();
}

picture.addEventListener('webglcontextlost', (event) => event.preventDefault());
picture.addEventListener('webglcontextrestored', () => {
    renderer = createRenderer(picture);
    renderer.open(surfaces);
    readColours();
    if (frame) renderer.update(frame);
});
dark.addEventListener('change', readColours);
window.addEventListener('resize', () => panels.draw());
document.querySelectorAll('details').forEach((panel) =>
    panel.addEventListener('toggle', () => panels.draw()));
if (matchMedia('(max-width: 760px)').matches)
    document.querySelectorAll('.panel').forEach((panel, k) => { panel.open = k === 0; });

Object.assign(window.devcloth, {project, send, on});
startWorker().catch((error) => say(`The simulation does not start: ${error.message}`));
renderer = createRenderer(picture);
find('absent').hidden = !!renderer;
readColours();
requestAnimationFrame(tick);
