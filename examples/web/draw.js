'use strict';
// Draws surfaces, arrows, pins and a soft shadow with WebGL 2; its shaders are in shaders.js. The
// page talks to it through createRenderer() at the end. Arrays are those of the worker's messages;
// lengths are metres.

// ---- Vectors (arrays of three) and matrices (sixteen numbers, column by column) ----

const Vec = {
    add: (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]],
    sub: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
    scale: (a, s) => [a[0] * s, a[1] * s, a[2] * s],
    dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
    cross: (a, b) => [
        a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
    length: (a) => Math.hypot(a[0], a[1], a[2]),
    normalize: (a) => Vec.scale(a, 1 / (Vec.length(a) || 1)),
};

function multiply(a, b) {
    const product = new Float32Array(16);
    for (let column = 0; column < 4; column++)
        for (let row = 0; row < 4; row++)
            for (let k = 0; k < 4; k++)
                product[4 * column + row] += a[4 * k + row] * b[4 * column + k];
    return product;
}

// The matrix of a viewer at the origin of the three axes, which looks against the third.
function lookFrom(eye, right, up, back) {
    const axes = [right, up, back];
    const matrix = new Float32Array(16);
    axes.forEach((axis, row) => {
        for (let column = 0; column < 3; column++) matrix[4 * column + row] = axis[column];
        matrix[12 + row] = -Vec.dot(axis, eye);
    });
    matrix[15] = 1;
    return matrix;
}

const TANGENT = 0.32; // of half the angle of view, up and down
const ASPECT = 1.15; // a narrower picture shows as much from side to side as one of this aspect

// A camera has a target, yaw and pitch [rad] and a distance, which is longer for narrow pictures.
function cameraBasis(camera, aspect) {
    const {yaw, pitch, target} = camera, distance = camera.distance * Math.max(1, ASPECT / aspect);
    const back = [
        Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch), Math.cos(pitch) * Math.cos(yaw)];
    const right = [Math.cos(yaw), 0, -Math.sin(yaw)];
    const up = Vec.cross(back, right);
    const eye = Vec.add(target, Vec.scale(back, distance));
    return {eye, right, up, back, tangent: TANGENT, distance};
}

function cameraMatrix(camera, aspect) {
    const {eye, right, up, back, tangent, distance} = cameraBasis(camera, aspect);
    const near = distance / 50, far = distance * 20;
    const projection = new Float32Array(16);
    projection[0] = 1 / (tangent * aspect);
    projection[5] = 1 / tangent;
    projection[10] = (near + far) / (near - far);
    projection[11] = -1;
    projection[14] = 2 * near * far / (near - far);
    return multiply(projection, lookFrom(eye, right, up, back));
}

// ---- Light ----

const LIGHT = Vec.normalize([-0.35, 1, 0.45]); // towards the light
const LIGHT_RIGHT = Vec.normalize(Vec.cross([0, 0, -1], LIGHT));
const LIGHT_UP = Vec.cross(LIGHT, LIGHT_RIGHT);
const SHADOW_SIZE = 1024; // [pixels] of the map of depths
const STRIPS = 48; // of the background
const HARD_SIZE = 128, SOFT_SIZE = 64; // of the shadow below, before and after it is softened

function lightMatrix(bounds) {
    const matrix = lookFrom(bounds.centre, LIGHT_RIGHT, LIGHT_UP, LIGHT);
    const size = 1 / bounds.radius;
    const scale = new Float32Array([size, 0, 0, 0, 0, size, 0, 0, 0, 0, -size, 0, 0, 0, 0, 1]);
    return multiply(scale, matrix);
}

// ---- What the simulated triangles need ----

// The midpoint at the edge opposite each corner. Edges are in the order of their lower ends, then
// of their upper ends. Null if the count is another.
function midpointOfCorner(triangles, vertexCount, midpointCount) {
    const key = (corner) => {
        const first = corner - corner % 3;
        const a = triangles[first + (corner + 1) % 3], b = triangles[first + (corner + 2) % 3];
        return Math.min(a, b) * vertexCount + Math.max(a, b);
    };
    const keys = Float64Array.from(triangles, (_, corner) => key(corner));
    const edges = Array.from(new Set(keys)).sort((a, b) => a - b);
    if (edges.length !== midpointCount) return null;
    const place = new Map(edges.map((edge, index) => [edge, index]));
    return Uint32Array.from(keys, (edge) => place.get(edge));
}

// Writes three corners a triangle, each with its own place, and their normals. Rigid triangles
// follow from the midpoints of their edges: a corner is the sum of the near two less the far one.
function spreadTriangles(surface, data, spread) {
    const {triangles, midpointOf} = surface;
    const source = midpointOf ? data.midpoints : data.positions;
    const {positions, normals} = spread;
    for (let t = 0; t < triangles.length; t += 3) {
        for (let c = 0; c < 3; c++)
            for (let d = 0; d < 3; d++)
                positions[3 * (t + c) + d] = midpointOf ?
                    source[3 * midpointOf[t + (c + 1) % 3] + d] +
                        source[3 * midpointOf[t + (c + 2) % 3] + d] -
                        source[3 * midpointOf[t + c] + d] :
                    source[3 * triangles[t + c] + d];
        const at = (c) => positions.subarray(3 * (t + c), 3 * (t + c) + 3);
        const normal = Vec.normalize(
            Vec.cross(Vec.sub(at(1), at(0)), Vec.sub(at(2), at(0))));
        for (let c = 0; c < 3; c++) normals.set(normal, 3 * (t + c));
    }
}

function boundsOf(arrays) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const array of arrays)
        for (let k = 0; k < array.length; k++) {
            const d = k % 3;
            if (array[k] < low[d]) low[d] = array[k];
            if (array[k] > high[d]) high[d] = array[k];
        }
    return {low, high};
}

// ---- The renderer ----

// Null where WebGL 2 is absent. Colours are named triples in 0..1: paper, paperFar (behind
// everything), front, back (of cloth), obstacle, line, midpoint,
// accent, force, pin; and the number ambient.
function createRenderer(canvas) {
    const gl = canvas.getContext('webgl2', {antialias: false, alpha: false});
    if (!gl) return null;

    function program(vertex, fragment, mode = 0, fine = 0) {
        const head = '#version 300 es\nprecision highp float;\n' +
            `#define MODE ${mode}\n#define FINE ${fine}\n`;
        const made = gl.createProgram();
        for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
            const shader = gl.createShader(type);
            gl.shaderSource(shader, head + text);
            gl.compileShader(shader);
            gl.attachShader(made, shader);
        }
        gl.linkProgram(made);
        if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost())
            throw new Error('a shader does not link: ' + gl.getProgramInfoLog(made));
        const places = {};
        const count = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS);
        for (let k = 0; k < count; k++) {
            const {name, type} = gl.getActiveUniform(made, k);
            places[name] = {place: gl.getUniformLocation(made, name), type};
        }
        return {made, places};
    }

    const setters = {
        [gl.FLOAT]: (place, v) => gl.uniform1f(place, v),
        [gl.FLOAT_VEC2]: (place, v) => gl.uniform2fv(place, v),
        [gl.FLOAT_VEC3]: (place, v) => gl.uniform3fv(place, v),
        [gl.FLOAT_VEC4]: (place, v) => gl.uniform4fv(place, v),
        [gl.FLOAT_MAT4]: (place, v) => gl.uniformMatrix4fv(place, false, v),
    };

    function use({made, places}, values) {
        gl.useProgram(made);
        for (const name in values) {
            const uniform = places[name];
            if (uniform) (setters[uniform.type] || gl.uniform1i.bind(gl))(
                uniform.place, values[name]);
        }
    }

    // Made when first used, so that the first picture comes early.
    const later = (...texts) => {
        let made = null;
        return () => made = made || program(...texts);
    };
    const surfacePrograms = [0, 1, 2, 3].map((mode) =>
        [0, 1].map((fine) => later(SURFACE_VERTEX, SURFACE_FRAGMENT, mode, fine)));
    const arrowProgram = later(ARROW_VERTEX, FLAT_FRAGMENT);
    const dotProgram = later(DOT_VERTEX, DOT_FRAGMENT);
    const depthProgram = program(DEPTH_VERTEX, DEPTH_FRAGMENT);
    const softProgram = program(SOFT_VERTEX, SOFT_FRAGMENT);
    const floorProgram = program(FLOOR_VERTEX, FLOOR_FRAGMENT);
    const emptyArray = gl.createVertexArray();

    function texture(size, inner, format, type, filter) {
        const made = gl.createTexture();
        gl.bindTexture(gl.TEXTURE_2D, made);
        gl.texImage2D(gl.TEXTURE_2D, 0, inner, size, size, 0, format, type, null);
        for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
            gl.texParameteri(gl.TEXTURE_2D, name, filter);
        for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T])
            gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
        return made;
    }

    function target(attachment, image) {
        const made = gl.createFramebuffer();
        gl.bindFramebuffer(gl.FRAMEBUFFER, made);
        gl.framebufferTexture2D(gl.FRAMEBUFFER, attachment, gl.TEXTURE_2D, image, 0);
        return made;
    }

    const shadowMap = texture(SHADOW_SIZE, gl.DEPTH_COMPONENT24, gl.DEPTH_COMPONENT,
        gl.UNSIGNED_INT, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    const shadowTarget = target(gl.DEPTH_ATTACHMENT, shadowMap);
    const [hard, soft] = [HARD_SIZE, SOFT_SIZE].map((size) =>
        texture(size, gl.R8, gl.RED, gl.UNSIGNED_BYTE, gl.LINEAR));
    const [hardTarget, softTarget] = [hard, soft].map((image) =>
        target(gl.COLOR_ATTACHMENT0, image));
    gl.bindTexture(gl.TEXTURE_2D, hard);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_NEAREST);

    function buffer(kind, data) {
        const made = gl.createBuffer();
        gl.bindBuffer(kind, made);
        gl.bufferData(kind, data, gl.DYNAMIC_DRAW);
        return made;
    }

    function attribute(place, made, size) {
        gl.bindBuffer(gl.ARRAY_BUFFER, made);
        gl.enableVertexAttribArray(place);
        gl.vertexAttribPointer(place, size, gl.FLOAT, false, 0, 0);
    }

    // Buffers of vertices, sizes in numbers a vertex, in the order of the attributes.
    function vertexArray(sizes, count, indices) {
        const array = gl.createVertexArray();
        gl.bindVertexArray(array);
        const buffers = sizes.map((size, place) => {
            if (!size) return null;
            const made = buffer(gl.ARRAY_BUFFER, 4 * size * count);
            attribute(place, made, size);
            return made;
        });
        if (indices) buffer(gl.ELEMENT_ARRAY_BUFFER, indices);
        gl.bindVertexArray(null);
        return {array, buffers, count: indices ? indices.length : count, indexed: !!indices};
    }

    function fill(made, data) {
        gl.bindBuffer(gl.ARRAY_BUFFER, made);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, data);
    }

    // A list of dots or arrows, which grows; sizes as above, all in one buffer.
    function list(sizes, divisor) {
        const array = gl.createVertexArray(), data = gl.createBuffer();
        const stride = sizes.reduce((sum, size) => sum + size);
        gl.bindVertexArray(array);
        gl.bindBuffer(gl.ARRAY_BUFFER, data);
        let offset = 0;
        sizes.forEach((size, place) => {
            gl.enableVertexAttribArray(place);
            gl.vertexAttribPointer(place, size, gl.FLOAT, false, 4 * stride, 4 * offset);
            gl.vertexAttribDivisor(place, divisor);
            offset += size;
        });
        gl.bindVertexArray(null);
        return {array, count: 0, set(numbers) {
            this.count = numbers ? numbers.length / stride : 0;
            gl.bindBuffer(gl.ARRAY_BUFFER, data);
            if (this.count) gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.DYNAMIC_DRAW);
        }};
    }

    const arrows = list([3, 3], 1), grip = list([3, 3], 1);
    const curve = list([3, 3], 1), handles = list([3], 0);
    const pins = list([3], 0), grips = list([3], 0), midpoints = list([3], 0);

    let surfaces = [], bounds = null, floor = null, light = null;
    let frame = null, fresh = false, arrowScale = 0, colours = {};

    function open(opened) {
        for (const surface of surfaces)
            for (const shape of [surface.smooth, surface.spread].filter(Boolean)) {
                shape.buffers.forEach((made) => gl.deleteBuffer(made));
                gl.deleteVertexArray(shape.array);
            }
        surfaces = opened.map((surface) => {
            const {kind, vertexCount, triangles, uv, midpointCount} = surface;
            const smooth = vertexArray([3, 3, 2, 1], vertexCount, triangles);
            if (uv) fill(smooth.buffers[2], uv);
            const midpointOf = midpointCount ?
                midpointOfCorner(triangles, vertexCount, midpointCount) : null;
            return {kind, triangles, midpointOf, midpointCount, uv, smooth, spread: null};
        });
        bounds = floor = frame = null;
        arrowScale = 0;
    }

    // The triangles one by one, made when that view is first drawn.
    function spreadOf(surface) {
        if (!surface.spread) {
            const count = surface.triangles.length;
            surface.spread = vertexArray([3, 3, 0, 0, 3], count, null);
            surface.spread.positions = new Float32Array(3 * count);
            surface.spread.normals = new Float32Array(3 * count);
            fill(surface.spread.buffers[4], Float32Array.from(
                {length: 3 * count}, (_, k) => Number(k % 3 === (k / 3 | 0) % 3)));
        }
        return surface.spread;
    }

    // Of cloth, and of obstacles that are not much larger.
    function growBounds(data) {
        const boxes = data.map((d) => boundsOf([d.positions]));
        const size = ({low, high}) => 0.5 * Vec.length(Vec.sub(high, low));
        const most = 1.5 * Math.max(...boxes.map((box, k) =>
            surfaces[k].kind === 'obstacle' ? 0 : size(box)));
        const near = boxes.filter((box) => !(size(box) > most));
        const {low, high} = boundsOf(near.flatMap((box) => [box.low, box.high]));
        const centre = Vec.scale(Vec.add(low, high), 0.5), radius = size({low, high});
        if (!bounds) {
            bounds = {centre, radius: 1.25 * radius};
            floor = {level: low[1] - 0.7 * radius, size: radius};
        } else if (Vec.length(Vec.sub(centre, bounds.centre)) + radius > bounds.radius) {
            bounds = {centre, radius: 1.25 * radius};
        }
        const gap = (low[1] - floor.level) / floor.size; // the floor fades before it is reached
        floor.strength = Math.max(0, Math.min(1, 4 * gap - 1));
    }

    function setGrip(grab) {
        grip.set(grab && new Float32Array([...grab.point, ...Vec.sub(grab.target, grab.point)]));
        grips.set(grab && new Float32Array([...grab.point, ...grab.target]));
    }

    function update(latest) {
        frame = latest;
        surfaces.forEach((surface, k) => {
            const {positions, normals, strain} = frame.surfaces[k];
            if (surface.shown === positions) return; // it does not move
            surface.shown = positions;
            fill(surface.smooth.buffers[0], positions);
            if (normals) fill(surface.smooth.buffers[1], normals);
            if (strain) fill(surface.smooth.buffers[3], strain);
        });
        growBounds(frame.surfaces);
        light = lightMatrix(bounds);
        arrows.set(frame.arrows);
        pins.set(frame.pins);
        curve.set(frame.curve);
        handles.set(frame.handles);
        setGrip(frame.grab);
        scaleArrows();
        fresh = true;
    }

    // The longest arrow is a quarter of the scene; the scale falls slowly when forces do.
    function scaleArrows() {
        let most = 0;
        const {arrows: list} = frame;
        for (let k = 0; list && k < list.length; k += 6)
            most = Math.max(most, Math.hypot(list[k + 3], list[k + 4], list[k + 5]));
        if (most > 0) arrowScale = Math.max(most, 0.98 * arrowScale);
    }

    function drawShape(shape) {
        gl.bindVertexArray(shape.array);
        if (shape.indexed) gl.drawElements(gl.TRIANGLES, shape.count, gl.UNSIGNED_INT, 0);
        else gl.drawArrays(gl.TRIANGLES, 0, shape.count);
    }

    function drawDepth(framebuffer, size, clear) {
        gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
        gl.viewport(0, 0, size, size);
        gl.clear(clear);
        for (const surface of surfaces) drawShape(surface.smooth);
    }

    function drawShadows() {
        gl.clearColor(0, 0, 0, 0);
        gl.disable(gl.BLEND);
        use(depthProgram, {view: light});
        gl.enable(gl.DEPTH_TEST);
        gl.enable(gl.POLYGON_OFFSET_FILL);
        gl.polygonOffset(1.5, 2);
        drawDepth(shadowTarget, SHADOW_SIZE, gl.DEPTH_BUFFER_BIT);
        gl.disable(gl.POLYGON_OFFSET_FILL);
        gl.disable(gl.DEPTH_TEST);
        if (floor.strength > 0) {
            drawDepth(hardTarget, HARD_SIZE, gl.COLOR_BUFFER_BIT);
            gl.bindTexture(gl.TEXTURE_2D, hard);
            gl.generateMipmap(gl.TEXTURE_2D);
            use(softProgram, {image: 0});
            gl.bindFramebuffer(gl.FRAMEBUFFER, softTarget);
            gl.viewport(0, 0, SOFT_SIZE, SOFT_SIZE);
            gl.bindVertexArray(emptyArray);
            gl.drawArrays(gl.TRIANGLES, 0, 3);
        }
        gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    }

    // A gradient from paper to paperFar in strips, which are cleared: quicker than a shader that
    // fills the picture, and in 8 bits a channel no coarser.
    function clear() {
        const {width, height} = canvas, {paper, paperFar} = colours;
        gl.clear(gl.DEPTH_BUFFER_BIT);
        gl.enable(gl.SCISSOR_TEST);
        for (let k = 0; k < STRIPS; k++) {
            const low = Math.round(k * height / STRIPS);
            const high = Math.round((k + 1) * height / STRIPS);
            const share = Math.abs((k + 0.5) / STRIPS - 0.66) / 0.66;
            const [r, g, b] = paper.map((value, d) => value + share ** 1.6 * (paperFar[d] - value));
            gl.scissor(0, low, width, high - low);
            gl.clearColor(r, g, b, 1);
            gl.clear(gl.COLOR_BUFFER_BIT);
        }
        gl.disable(gl.SCISSOR_TEST);
    }

    function drawFloor(view, eye) {
        const {level, strength} = floor;
        if (!(strength > 0) || eye[1] < level) return;
        gl.bindVertexArray(emptyArray);
        use(floorProgram, {view, image: 0, strength: 0.34 * strength, toLight: LIGHT, level,
            centre: bounds.centre, right: Vec.scale(LIGHT_RIGHT, bounds.radius),
            up: Vec.scale(LIGHT_UP, bounds.radius)});
        gl.bindTexture(gl.TEXTURE_2D, soft);
        gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }

    const MODES = {shaded: 0, checked: 1, strain: 2, forces: 0, triangles: 3};

    function drawSurfaces(view, eye, name, fine) {
        gl.bindTexture(gl.TEXTURE_2D, shadowMap);
        const {line, ambient} = colours;
        const common = {view, light, eye, toLight: LIGHT, shadow: 0, line, ambient,
            offset: 0.004 * bounds.radius, texel: 1 / SHADOW_SIZE};
        surfaces.forEach((surface, k) => {
            const solid = surface.kind === 'obstacle', data = frame.surfaces[k];
            let mode = solid ? 0 : MODES[name];
            if (mode === 1 && !surface.uv || mode === 2 && !data.strain) mode = 0;
            const [front, back] = (solid ? ['obstacle', 'obstacle'] : ['front', 'back'])
                .map((side) => colours[side]);
            use(surfacePrograms[mode][Number(fine)](), {...common, front, back});
            if (mode !== 3) return drawShape(surface.smooth);
            const spread = spreadOf(surface);
            if (spread.frame !== frame) {
                spreadTriangles(surface, data, spread);
                fill(spread.buffers[0], spread.positions);
                fill(spread.buffers[1], spread.normals);
                spread.frame = frame;
            }
            drawShape(spread);
        });
    }

    function drawDots(view, dots, diameter, colour, border) {
        if (!dots.count) return;
        const flatColour = [...colour, 1], ring = colours.paper;
        use(dotProgram(), {view, diameter, flatColour, ring, border});
        gl.bindVertexArray(dots.array);
        gl.drawArrays(gl.POINTS, 0, dots.count);
    }

    function drawArrows(view, items, colour, alpha, values) {
        if (!items.count) return;
        use(arrowProgram(), {view, size: [canvas.width / 2, canvas.height / 2],
            flatColour: [...colour, alpha], ...values});
        gl.bindVertexArray(items.array);
        gl.drawArraysInstanced(gl.TRIANGLES, 0, 9, items.count);
    }

    // Paler where something is in front.
    function drawThrough(view, items, colour, values) {
        gl.depthMask(false);
        gl.depthFunc(gl.GREATER);
        drawArrows(view, items, colour, 0.22, values);
        gl.depthFunc(gl.LESS);
        gl.depthMask(true);
        drawArrows(view, items, colour, 1, values);
    }

    function drawMarks(view, name, pixel) {
        if (name === 'triangles')
            frame.surfaces.forEach((data, k) => {
                if (!data.midpoints) return;
                midpoints.set(data.midpoints);
                drawDots(view, midpoints, 4 * pixel, colours.midpoint, 0);
            });
        if (curve.count) drawThrough(view, curve, colours.accent,
            {stretch: 1, width: 1.4 * pixel, head: 0});
        if (name === 'forces') {
            const values = {stretch: 0.5 * bounds.radius / (arrowScale || 1),
                width: 0.9 * pixel, head: 9 * pixel};
            drawThrough(view, arrows, colours.force, values);
        }
        gl.disable(gl.DEPTH_TEST);
        drawDots(view, handles, 13 * pixel, colours.accent, 2 * pixel);
        drawDots(view, pins, 11 * pixel, colours.pin, 2 * pixel);
        drawArrows(view, grip, colours.accent, 1, {stretch: 1, width: 1.2 * pixel, head: 0});
        drawDots(view, grips, 11 * pixel, colours.accent, 2 * pixel);
    }

    // An image with several samples a pixel, as large as the canvas.
    const smooth = {target: gl.createFramebuffer(), width: 0, height: 0, buffers: null};

    function bindSmooth() {
        const {width, height} = canvas;
        gl.bindFramebuffer(gl.FRAMEBUFFER, smooth.target);
        if (smooth.width === width && smooth.height === height) return;
        const kinds = [
            [gl.RGB8, gl.COLOR_ATTACHMENT0], [gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT]];
        smooth.buffers = smooth.buffers || kinds.map(() => gl.createRenderbuffer());
        kinds.forEach(([format, attachment], k) => {
            gl.bindRenderbuffer(gl.RENDERBUFFER, smooth.buffers[k]);
            gl.renderbufferStorageMultisample(gl.RENDERBUFFER, 4, format, width, height);
            gl.framebufferRenderbuffer(
                gl.FRAMEBUFFER, attachment, gl.RENDERBUFFER, smooth.buffers[k]);
        });
        Object.assign(smooth, {width, height});
    }

    function showSmooth() {
        const {width, height} = canvas;
        gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
        gl.blitFramebuffer(
            0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
        gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    }

    // name: 'shaded', 'checked', 'strain', 'forces' or 'triangles'; pixel: canvas pixels for each
    // CSS pixel; fine: with smooth borders, which costs time without a graphics processor.
    function draw(camera, name, pixel, fine) {
        if (!frame || gl.isContextLost()) return;
        const aspect = canvas.width / canvas.height;
        const view = cameraMatrix(camera, aspect), {eye} = cameraBasis(camera, aspect);
        gl.depthFunc(gl.LESS);
        if (fresh) drawShadows();
        if (fine) bindSmooth();
        gl.viewport(0, 0, canvas.width, canvas.height);
        gl.disable(gl.BLEND);
        gl.enable(gl.DEPTH_TEST);
        clear();
        drawSurfaces(view, eye, name, fine);
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
        drawFloor(view, eye);
        drawMarks(view, name, pixel);
        if (fine) showSmooth();
        fresh = false;
    }

    return {open, update, setGrip, draw, setColours(named) { colours = named; },
        longestForce: () => arrowScale, bounds: () => bounds};
}
