'use strict';
// Figures and charts beside the picture. createPanels() takes the reports of the frames.

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const HISTORY = 10; // length of the charts [s] of simulated time

// 3.2 × 10⁻⁵
function scientific(value) {
    if (!Number.isFinite(value)) return '–';
    if (value === 0) return '0';
    const [digits, exponent] = value.toExponential(1).split('e');
    const raised = Array.from(String(Math.abs(exponent)), (digit) => SUPERSCRIPTS[digit]);
    return `${digits} × 10${exponent < 0 ? '⁻' : ''}${raised.join('')}`;
}

// 12.3 mJ
function quantity(value, unit) {
    if (!Number.isFinite(value)) return '–';
    const size = Math.abs(value);
    if (size < 1e-9) return `0 ${unit}`;
    const third = Math.max(-3, Math.min(1, Math.floor(Math.log10(size) / 3)));
    const shown = (value / 1000 ** third).toPrecision(3).replace('-', '−');
    return `${shown} ${['n', 'µ', 'm', '', 'k'][third + 3]}${unit}`;
}

// A list of terms and figures; returns a function that sets one of them.
function figureList(list, terms) {
    list.textContent = '';
    const places = terms.map(({label, colour}) => {
        const term = document.createElement('dt'), figure = document.createElement('dd');
        if (colour) {
            const swatch = document.createElement('i');
            swatch.style.background = `var(${colour})`;
            term.append(swatch);
        }
        term.append(label);
        figure.textContent = '–';
        list.append(term, figure);
        return figure;
    });
    return (index, text) => {
        if (places[index].textContent !== text) places[index].textContent = text;
    };
}

// Curves over time. curves: [{name, colour}], the fields of a sample and their CSS variables.
function createChart(canvas, curves, logarithmic) {
    const context = canvas.getContext('2d', {willReadFrequently: true});

    function range(samples) {
        let low = Infinity, high = -Infinity;
        for (const sample of samples)
            for (const {name} of curves) {
                const value = sample[name];
                if (!Number.isFinite(value)) continue;
                low = Math.min(low, value);
                high = Math.max(high, value);
            }
        if (!(low <= high)) return logarithmic ? [-6, -1] : [0, 1];
        if (logarithmic) return [Math.floor(low), Math.max(Math.floor(low) + 1, Math.ceil(high))];
        const margin = 0.06 * (high - low) || 0.5 * Math.abs(high) || 1e-6;
        return [low - margin, high + margin];
    }

    function draw(samples) {
        const ratio = Math.min(2, window.devicePixelRatio || 1);
        const width = canvas.clientWidth, height = canvas.clientHeight;
        if (!width) return; // folded
        if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
        if (canvas.height !== Math.round(height * ratio))
            canvas.height = Math.round(height * ratio);
        const style = getComputedStyle(document.documentElement);
        const [low, high] = range(samples);
        const left = 58, top = 6, bottom = height - 6;
        const y = (value) => bottom - (value - low) / (high - low) * (bottom - top);
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, width, height);
        context.font = '11px system-ui, sans-serif';
        context.textAlign = 'right';
        context.textBaseline = 'middle';
        context.lineWidth = 1;
        for (const value of ticks(low, high)) {
            context.strokeStyle = style.getPropertyValue('--edge');
            context.fillStyle = style.getPropertyValue('--quiet');
            context.beginPath();
            context.moveTo(left, y(value));
            context.lineTo(width, y(value));
            context.stroke();
            context.fillText(label(value), left - 8, y(value));
        }
        const end = samples.length ? samples[samples.length - 1].time : 0;
        const x = (time) => width - (end - time) / HISTORY * (width - left);
        context.lineWidth = 1.6;
        context.lineJoin = 'round';
        for (const {name, colour} of curves) {
            context.strokeStyle = style.getPropertyValue(colour);
            context.beginPath();
            for (const sample of samples)
                if (Number.isFinite(sample[name])) context.lineTo(x(sample.time), y(sample[name]));
            context.stroke();
        }
    }

    // Two to five round values.
    function ticks(low, high) {
        const rough = (high - low) / 3, power = 10 ** Math.floor(Math.log10(rough));
        let step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
        if (logarithmic) step = Math.max(1, Math.round(step));
        const values = [];
        for (let k = Math.ceil(low / step); k * step <= high * (1 + 1e-12) || k * step <= high; k++)
            values.push(k * step);
        return values;
    }

    const label = (value) => logarithmic ? scientific(10 ** value).replace(/^1\.0 × /, '') :
        quantity(value, 'J').replace(/\.0+ /, ' ').replace(/(\.\d*?)0+ /, '$1 ');

    return {draw};
}

function createPanels() {
    const find = (id) => document.getElementById(id);
    const energies = [
        {name: 'kinetic', label: 'kinetic', colour: '--line-1'},
        {name: 'potential', label: 'potential', colour: '--line-2'},
        {name: 'bending', label: 'bending', colour: '--line-3'},
        {name: 'total', label: 'total', colour: '--line-4'},
    ];
    const energyChart = createChart(find('energies'), energies, false);
    const lengthChart = createChart(find('lengths'),
        [{name: 'logError', colour: '--line-2'}], true);
    const setEnergy = figureList(find('energy-figures'), energies);
    const setLength = figureList(find('length-figures'),
        [{label: 'greatest error of a length', colour: '--line-2'},
            {label: 'steps that did not converge'}]);
    const setWork = figureList(find('work-figures'), [
        {label: 'time'}, {label: 'a step takes'}, {label: 'in the median'},
        {label: 'pictures a second'}, {label: 'Newton iterations'}, {label: 'solver iterations'},
        {label: 'contacts'}]);
    const setRest = figureList(find('rest-figures'), [{label: 'iterations since it moved'},
        {label: 'distance from the curve'}]);
    const certificate = find('certificate');
    let samples = [], last = null;

    function add(frame) {
        const {report, time} = frame;
        last = frame;
        const before = samples[samples.length - 1];
        if (before && time < before.time) samples = [];
        if (before && time === before.time) return;
        samples.push({time, ...report,
            logError: report.lengthError > 0 ? Math.log10(report.lengthError) : NaN});
        while (samples[0].time < time - HISTORY) samples.shift();
    }

    function median() {
        const times = samples.slice(-120).map((sample) => sample.milliseconds);
        times.sort((a, b) => a - b);
        return times[times.length >> 1];
    }

    const milliseconds = (value) => Number.isFinite(value) ? `${value.toFixed(2)} ms` : '–';
    const whole = (value) => Number.isFinite(value) ? String(value) : '–';

    function showCertificate({collides, certified, crossings}) {
        const text = !collides ? 'Collisions are off' :
            certified ? '✓ Certified free of crossing' :
            `✗ Not certified free of crossing${crossings > 0 ? `: ${crossings} found` : ''}`;
        if (certificate.textContent !== text) certificate.textContent = text;
        certificate.className = `verdict${certified || !collides ? '' : ' open'}`;
    }

    // Where a shape at rest is searched for, there are no energies over time.
    function showRest({rest, lengthError}) {
        find('energy-panel').hidden = rest !== null;
        find('rest-panel').hidden = rest === null;
        if (!rest) return;
        setRest(0, String(rest.iterations));
        setRest(1, `${(1000 * rest.distance).toFixed(1)} mm`);
        const text = rest.state === 'at rest' ? '✓ At rest' :
            rest.state === 'searching' ? '… Searching for rest' :
            `✗ Not at rest: lengths off by ${Number((100 * lengthError).toPrecision(2))}%`;
        const state = find('rest-state');
        if (state.textContent !== text) state.textContent = text;
        state.className = `verdict${rest.state === 'at its limit' ? ' open' : ''}`;
    }

    function write(picturesPerSecond) {
        if (!last) return;
        const {report} = last;
        showRest(report);
        energies.forEach(({name}, k) => setEnergy(k, quantity(report[name], 'J')));
        setLength(0, scientific(report.lengthError));
        setLength(1, `${report.unconverged} of ${report.steps}`);
        [`${last.time.toFixed(2)} s`, milliseconds(report.milliseconds), milliseconds(median()),
            picturesPerSecond, whole(report.newton), whole(report.cg),
            whole(report.contacts)].forEach((text, k) => setWork(k, text));
        showCertificate(report);
    }

    function draw() {
        energyChart.draw(samples);
        lengthChart.draw(samples);
    }

    function showMemory({bytes, parts}) {
        const count = (number) => number.toLocaleString('en');
        find('memory').textContent = `The world takes ${count(bytes)} bytes of memory.`;
        const set = figureList(find('parts'), parts.map(([label]) => ({label})));
        parts.forEach(([, size], k) => set(k, count(size)));
    }

    return {add, write, draw, showMemory, median, clear() { samples = []; }};
}
