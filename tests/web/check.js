// Checks the page in a browser without a screen, and its module against the native program.
//
//     node tests/web/check.js      after tests/web/check.sh has built what it needs
//
// Screenshots of all scenes go to out/page/NAME.png.
'use strict';

const {execFileSync} = require('child_process');
const fs = require('fs');
const path = require('path');
const vm = require('vm');
const root = path.join(__dirname, '../..');
const {chromium} = require(path.join(root, 'build/page/node_modules/playwright-core'));

const PAGE = path.join(root, 'out/page/devcloth.html');
const BYTES_MAX = 400 * 1024;
const FIRST_FRAME_MAX = 1000; // [ms] from the start of the load to a sheet that has moved
const SECONDS = 3; // that each scene runs
const FOLLOW_MAX = 6; // [s] until a vertex has followed the pointer halfway
const STEPS = 60; // after which hashes are compared
const FLAGS = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
    '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'];

let passed = 0, failed = 0;

function check(name, isFine, told = '') {
    if (isFine) {
        passed++;
    } else {
        failed++;
        console.log(`FAILED: ${name}${told ? `: ${told}` : ''}`);
    }
}

function median(numbers) {
    return numbers.slice().sort((a, b) => a - b)[numbers.length >> 1];
}

// ---- The same bits as the native program ----

// The worker, run here with a module below build/page, and what it posts in `posted`.
function makeWorker(module) {
    const posted = [];
    const globals = {performance, TextDecoder, WebAssembly, setTimeout, clearTimeout,
        postMessage: (message) => posted.push(message)};
    const code = fs.readFileSync(path.join(root, 'examples/web/worker.js'), 'utf8');
    vm.runInNewContext(code, globals);
    const send = (data) => globals.onmessage({data});
    send({type: 'module', bytes: fs.readFileSync(path.join(root, 'build/page', module))});
    return {send, posted};
}

function compareHashes(precision) {
    const {send, posted} = makeWorker(`web/${precision}.wasm`);
    const native = path.join(root, `build/page/web/native_${precision}`);
    const lines = execFileSync(native, ['all', String(STEPS)], {encoding: 'utf8'}).trim();
    for (const line of lines.split('\n')) {
        const [name, hash] = line.split(' ');
        send({type: 'open', scene: name, settings: {}});
        if (posted.at(-1).handles.length > 0) { // as the native program does
            send({type: 'grab', origin: [0.25, 0, 3], direction: [0, 0, -1], reach: 1});
            send({type: 'move', target: [0.25, 0, 0.25]});
        }
        send({type: 'run-steps', count: STEPS});
        const {type, value} = posted.at(-1);
        check(`${name}, ${precision}: the native hash`, type === 'hash' && value === hash,
            `${value} instead of ${hash}`);
    }
}

// A worker that gets nonsense says so, and goes on.
function checkNonsense() {
    const {send, posted} = makeWorker('web/double.wasm');
    send({type: 'step'});
    send({type: 'open', scene: 'no such scene', settings: {cells: 'many', rate: 1e9}});
    check('an unknown scene is the first one', posted.at(-1).type === 'frame');
    send({type: 'grab', origin: [NaN, 0, 0], direction: [0, 0, 0]});
    check('a ray that is none hits nothing', posted.at(-1).hit === false);
    send({type: 'move', target: [1, 2, 3]});
    send({type: 'grab'});
    check('a message without a ray is answered',
        posted.at(-1).type === 'failed' && posted.at(-1).order === 'grab');
    send({type: 'step'});
    check('it goes on', posted.at(-1).type === 'frame' && posted.at(-1).number === 1);
}

// Scenes with mistakes (mistakes.c) say what is wrong when they are opened, or in the first step.
function checkMistakes() {
    const {send, posted} = makeWorker('copy/build/page/mine/double.wasm');
    const {scenes} = posted.at(-1);
    check('there are mistakes', scenes.length > 10);
    for (const {name, text} of scenes) {
        posted.length = 0;
        send({type: 'open', scene: name, settings: {}});
        const isOpen = posted.at(-1).type === 'frame';
        send({type: 'step'});
        const {type, order, message} = posted.find((m) => /^(failed|refused)$/.test(m.type)) || {};
        check(`the mistake ${name}`, message && message.endsWith(text), `${message}, not ${text}`);
        const wanted = !isOpen ? 'open' : name === 'trap' ? 'step' : undefined;
        check(`${name}: what led to it`, order === wanted && (type === 'failed') === !!wanted,
            `${type}, ${order}`);
    }
}

// Fast falls on the ball, of a soft sheet: some steps do not converge, and are counted.
function checkUnconverged() {
    const {send, posted} = makeWorker('web/double.wasm');
    const told = (settings) => {
        send({type: 'open', scene: 'ball', settings});
        send({type: 'run-steps', count: STEPS});
        send({type: 'step'});
        return posted.at(-1).report;
    };
    const fast = told({cells: 8, bending: 1, wind: 5, gravity: 20});
    check('steps that do not converge are counted', fast.unconverged > 0 &&
        fast.unconverged < fast.steps && fast.steps === STEPS + 1, JSON.stringify(fast));
    check('they are counted from the start', told({gravity: 0}).unconverged === 0);
}

// ---- The page ----

// Opens the page; what it says to the console and asks of the network becomes failures.
async function openPage(browser, hash, viewport) {
    const context = await browser.newContext({viewport});
    const page = await context.newPage();
    page.on('console', (message) => check('silent console', false, message.text()));
    page.on('pageerror', (error) => check('no exception', false, error.message));
    page.on('request', (request) => {
        if (!/^(file|blob|data):/.test(request.url())) check('no request', false, request.url());
    });
    await page.addInitScript(() => {
        const wait = setInterval(() => {
            if (!window.devcloth || !devcloth.on) return;
            clearInterval(wait);
            window.seen = {times: [], refused: [], moved: 0};
            devcloth.on('opened', ({surfaces}) => { seen.surfaces = surfaces; });
            devcloth.on('refused', ({message}) => seen.refused.push(message));
            devcloth.on('frame', ({number, report}) => {
                seen.times.push(report.milliseconds);
                if (number > 0 && !seen.moved) seen.moved = performance.now();
            });
        }, 1);
    });
    await page.goto(`file://${PAGE}#${hash}`);
    await page.waitForFunction(() => window.seen && seen.moved > 0 && devcloth.frames > 1);
    return page;
}

// The best of three, so that a busy machine does not decide.
async function checkFirstFrame(browser) {
    let least = Infinity;
    for (let k = 0; k < 3; k++) {
        const page = await openPage(browser, 'scene=hung', {width: 1280, height: 800});
        least = Math.min(least, await page.evaluate(() => seen.moved));
        await page.context().close();
    }
    console.log(`first moving frame after ${least.toFixed(0)} ms`);
    check('the first moving frame', least <= FIRST_FRAME_MAX, `${least} ms`);
}

// Runs a scene, and tells how it went.
async function runScene(page, name) {
    const before = await page.evaluate(() => ({drawn: devcloth.frames, number:
        devcloth.lastFrame.number}));
    await page.waitForTimeout(1000 * SECONDS);
    const after = await page.evaluate(() => ({drawn: devcloth.frames, number:
        devcloth.lastFrame.number, times: seen.times, refused: seen.refused}));
    check(`${name} moves`, after.number > before.number && after.drawn > before.drawn);
    check(`${name} has no step that is refused`, after.refused.length === 0, after.refused[0]);
    const rate = (after.drawn - before.drawn) / SECONDS;
    console.log(`${name}: ${rate.toFixed(0)} pictures a second, ${median(after.times).toFixed(1)}` +
        ' ms a step in the median');
    await page.screenshot({path: path.join(root, `out/page/${name}.png`)});
}

// Takes hold of the triangle in the middle of the first surface, drags it aside, and measures how
// far it came of the way that the pointer went.
async function dragVertex(page, name) {
    const grip = await page.evaluate(() => {
        const {positions} = devcloth.lastFrame.surfaces[0];
        const {triangles} = seen.surfaces[0];
        const first = 3 * Math.floor(triangles.length / 6); // of the triangle in the middle
        const middle = [0, 1, 2].map((axis) => [0, 1, 2].reduce((sum, corner) =>
            sum + positions[3 * triangles[first + corner] + axis] / 3, 0));
        return devcloth.project(middle);
    });
    const grabbed = page.evaluate(() => new Promise((resolve) => {
        devcloth.on('grabbed', resolve);
        setTimeout(() => resolve({hit: false}), 3000);
    }));
    const [x, y] = grip;
    await page.mouse.move(x, y);
    await page.mouse.down();
    const {hit} = await grabbed;
    check(`${name} can be grabbed`, hit);
    if (!hit) return page.mouse.up();
    const place = () => page.evaluate(() => devcloth.lastFrame.grab);
    await page.waitForFunction(() => devcloth.lastFrame.grab);
    const from = (await place()).point;
    for (let k = 1; k <= 10; k++) {
        await page.mouse.move(x + 6 * k, y - 2 * k);
        await page.waitForTimeout(50);
    }
    const distance = (a, b) => Math.hypot(...a.map((n, axis) => n - b[axis]));
    const has = ({point, target}) => distance(point, target) < 0.5 * distance(from, target) &&
        distance(from, target) > 0.01;
    let now = await place();
    for (let k = 0; k < FOLLOW_MAX && !has(now); k++) {
        await page.waitForTimeout(1000);
        now = await place();
    }
    check(`${name}: the vertex follows`, has(now), `${now.point}, to ${now.target}, from ${from}`);
    await page.mouse.up();
    await page.waitForFunction(() => !devcloth.lastFrame.grab);
}

// A double click beside a corner frees its pin, another one pins it again.
async function checkPins(browser) {
    const page = await openPage(browser, 'scene=hung', {width: 1280, height: 800});
    const counts = [];
    for (let k = 0; k < 2; k++) {
        await page.waitForTimeout(500);
        const [x, y] = await page.evaluate(() => {
            const {positions} = devcloth.lastFrame.surfaces[0];
            const inner = positions.length / 3 - 32; // of 30 columns: the last but one, a row lower
            return devcloth.project(Array.from(positions.slice(3 * inner, 3 * inner + 3)));
        });
        await page.mouse.dblclick(x, y);
        await page.waitForTimeout(500);
        counts.push(await page.evaluate(() => devcloth.lastFrame.pins.length / 3));
    }
    check('a double click frees a pin, and sets one', counts[0] === 1 && counts[1] === 2,
        `${counts} pins`);
    await page.context().close();
}

// Without the mouse: G grabs the cloth in the middle of the picture, an arrow pulls it, and P sets
// a pin there, or frees it.
async function checkKeys(browser) {
    const page = await openPage(browser, 'scene=hung&gravity=0', {width: 1280, height: 800});
    const pins = () => page.evaluate(() => devcloth.lastFrame.pins.length / 3);
    const target = () => page.evaluate(() => {
        const {grab} = devcloth.lastFrame;
        return grab && devcloth.project(grab.target);
    });
    const press = async (...keys) => {
        for (const key of keys) await page.keyboard.press(key);
        await page.waitForTimeout(500);
    };
    await press('g', 'p');
    check('keys of the picture need its focus', !await target() && await pins() === 2);
    await page.focus('#picture');
    await press('g');
    const before = await target();
    check('G grabs', before !== null);
    if (!before) return page.context().close();
    await press('ArrowRight', 'ArrowRight', 'ArrowDown');
    const moved = (await target()).map((place, axis) => place - before[axis]);
    check('arrows pull', Math.hypot(moved[0] - 24, moved[1] - 12) < 1, `by ${moved} pixels`);
    await press('g');
    check('G lets go', !await target() && await pins() === 2);
    await press('p');
    check('P sets a pin', await pins() === 3);
    await press('p');
    check('P frees it', await pins() === 2, `${await pins()} pins`);
    await page.context().close();
}

// What the panel and the status line say where there is no collision, and when something fails; and
// the sliders, where a link asks for what they do not have.
async function checkWords(browser) {
    const hash = 'scene=hung&rate=110&friction=7';
    const page = await openPage(browser, hash, {width: 1280, height: 800});
    const text = (id) => page.textContent(`#${id}`);
    await page.waitForTimeout(1000);
    check('collisions are off', await text('certificate') === 'Collisions are off');
    check('steps are counted', /^0 of [1-9]\d*$/.test(await text('length-figures dd:last-child')));
    await page.waitForFunction(() => location.hash.includes('rate=120&friction=1'), null,
        {timeout: 3000}).catch(() => check('sliders take a link\'s nearest values', false, hash));
    await page.evaluate(() => devcloth.send({type: 'grab'}));
    await page.waitForTimeout(300);
    check('a failure has its sentence', /^The simulation has failed: /.test(await text('status')),
        await text('status'));
    await page.context().close();
}

// The ball's contacts carry the sheet: their forces are shown, and add up to one upwards.
async function checkForces(browser) {
    const page = await openPage(browser, 'scene=ball&view=forces', {width: 1280, height: 800});
    await page.waitForTimeout(1000 * SECONDS);
    const {up, count, legend} = await page.evaluate(() => {
        const {arrows} = devcloth.lastFrame;
        let sum = 0;
        for (let k = 4; k < arrows.length; k += 6) sum += arrows[k];
        const text = document.getElementById('forces-legend').textContent;
        return {up: sum, count: arrows.length / 6, legend: text};
    });
    check('forces of contacts are shown', count > 10 && up > 0 && /^Longest arrow: [1-9]/.test(legend),
        `${count} arrows, ${up} N, "${legend}"`);
    await page.context().close();
}

// The sheet of the rail, whose curve a hand bends.
async function openRail(browser, more = '') {
    const page = await openPage(browser, `scene=rail${more}`, {width: 1280, height: 800});
    return {page, rest: () => page.evaluate(() => devcloth.lastFrame.report.rest),
        untilState: (state) => page.waitForFunction((wanted) =>
            devcloth.lastFrame.report.rest.state === wanted, state, {timeout: 30000}),
        handle: (number) => page.evaluate((k) => devcloth.project(
            Array.from(devcloth.lastFrame.handles.slice(3 * k, 3 * k + 3))), number),
        positions: () => page.evaluate(() =>
            Array.from(devcloth.lastFrame.surfaces[0].positions))};
}

// How far apart two shapes are at most [m].
function distanceOf(a, b) {
    let most = 0;
    for (let k = 0; k < a.length; k += 3)
        most = Math.max(most, Math.hypot(a[k] - b[k], a[k + 1] - b[k + 1], a[k + 2] - b[k + 2]));
    return most;
}

// Drags a handle from where it is, until it has come there or time is up.
async function dragHandle({page, handle}, number, way) {
    const [x, y] = await handle(number), to = [x + way[0], y + way[1]];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.waitForFunction(() => devcloth.lastFrame.grab, null, {timeout: 3000});
    for (let k = 1; k <= 10; k++) {
        await page.mouse.move(x + way[0] * k / 10, y + way[1] * k / 10);
        await page.waitForTimeout(50);
    }
    let away = Infinity;
    for (let k = 0; k < FOLLOW_MAX && away > 2; k++) {
        await page.waitForTimeout(1000);
        away = Math.hypot(...(await handle(number)).map((place, axis) => place - to[axis]));
    }
    await page.mouse.up();
    return away;
}

// A handle is dragged: the sheet follows, comes to rest, and keeps its lengths. Back, so does it.
async function checkRail(browser) {
    const rail = await openRail(browser), {page, rest, untilState, positions} = rail;
    await untilState('at rest');
    const before = await positions();
    const away = await dragHandle(rail, 1, [30, 40]);
    check('a handle follows the pointer', away <= 2, `${away} pixels`);
    await untilState('at rest');
    const moved = distanceOf(await positions(), before);
    check('the sheet follows its curve', moved > 0.03, `${moved} m`);
    check('it stays on the curve', (await rest()).distance < 1e-3);
    check('it keeps its lengths',
        await page.evaluate(() => devcloth.lastFrame.report.lengthError) <= 1e-4);
    await page.waitForTimeout(1000);
    check('rest is told', await page.textContent('#rest-state') === '✓ At rest' &&
        await page.isHidden('#energies') && await page.isHidden('#setting-wind'));
    await page.screenshot({path: path.join(root, 'out/page/rail-dragged.png')});
    await dragHandle(rail, 1, [-30, -40]);
    await untilState('at rest');
    await page.evaluate(() => devcloth.send({type: 'set', settings: {gravity: 0}}));
    await untilState('searching');
    await untilState('at rest');
    await page.keyboard.press('r');
    await page.waitForTimeout(500);
    await untilState('at rest');
    check('a reset takes the curve back', distanceOf(
        await page.evaluate(() => Array.from(devcloth.lastFrame.handles)), await page.evaluate(
            () => [-0.46, 0, 0, -0.17, 0, 0.15, 0.17, 0, -0.15, 0.46, 0, 0])) < 0.1);
    await page.focus('#picture');
    await page.keyboard.press('g');
    await page.waitForFunction(() => devcloth.lastFrame.grab, null, {timeout: 3000});
    const [first] = await page.evaluate(() => devcloth.project(devcloth.lastFrame.grab.point));
    for (let k = 0; k < 3; k++) await page.keyboard.press('ArrowRight');
    await page.waitForTimeout(2000);
    const [last] = await page.evaluate(() => devcloth.project(devcloth.lastFrame.grab.point));
    check('arrows move a handle', Math.abs(last - first - 36) < 3, `by ${last - first} pixels`);
    await page.context().close();
}

// Bent upwards, the curve asks for more than the sheet can do; that is told.
async function checkRailTooFar(browser) {
    const rail = await openRail(browser, '&camera=0.2,0.05,2.5'), {page, untilState} = rail;
    await untilState('at rest');
    await dragHandle(rail, 1, [20, -110]);
    await untilState('at its limit');
    await page.waitForTimeout(3000);
    const told = await page.textContent('#rest-state');
    check('what the sheet cannot follow is told', /^✗ Not at rest: lengths off by [\d.]+%$/.test(told),
        told);
    await page.screenshot({path: path.join(root, 'out/page/rail-too-far.png')});
    await dragHandle(rail, 1, [-20, 110]);
    await untilState('at rest').catch(() => check('back, the sheet comes to rest', false));
    await page.screenshot({path: path.join(root, 'out/page/rail-back.png')});
    await page.context().close();
}

async function checkScene(browser, name) {
    const page = await openPage(browser, `scene=${name}`, {width: 1280, height: 800});
    await runScene(page, name);
    if (name !== 'rail') await dragVertex(page, name); // see checkRail()
    await page.context().close();
}

async function checkPhone(browser) {
    const page = await openPage(browser, 'scene=locking', {width: 390, height: 844});
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    check('the page fits a phone', width <= 390, `${width} pixels wide`);
    const places = await page.evaluate(() => devcloth.lastFrame.surfaces.flatMap(({positions}) =>
        Array.from({length: positions.length / 3}, (_, v) =>
            devcloth.project(Array.from(positions.slice(3 * v, 3 * v + 3)))[0])));
    check('two sheets fit a phone', Math.min(...places) > 0 && Math.max(...places) < 390,
        `from ${Math.min(...places)} to ${Math.max(...places)}`);
    await page.screenshot({path: path.join(root, 'out/page/phone.png')});
    await page.context().close();
}

async function main() {
    const {size} = fs.statSync(PAGE);
    console.log(`${size} bytes`);
    check('the size of the page', size <= BYTES_MAX, `${size} bytes`);
    compareHashes('double');
    compareHashes('single');
    checkNonsense();
    checkMistakes();
    checkUnconverged();
    const browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: FLAGS});
    try {
        await checkFirstFrame(browser);
        const native = path.join(root, 'build/page/web/native_double');
        const names = execFileSync(native, {encoding: 'utf8'});
        for (const line of names.trim().split('\n')) await checkScene(browser, line.split('\t')[0]);
        await checkRail(browser);
        await checkRailTooFar(browser);
        await checkForces(browser);
        await checkPins(browser);
        await checkKeys(browser);
        await checkWords(browser);
        await checkPhone(browser);
    } finally {
        await browser.close();
    }
}

main().catch((error) => check('the check itself', false, error.stack)).then(() => {
    console.log(`${passed} passed, ${failed} failed`);
    process.exit(failed ? 1 : 0);
});
