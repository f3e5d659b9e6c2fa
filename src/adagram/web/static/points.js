// Many points on a canvas, with pan, zoom and labels. A frame of 100,000 points is written pixel by pixel, which takes a
// few milliseconds on any machine, with or without a graphics card; a few thousand are drawn as smooth discs.

const CELLS = 128; // per side, of the index by place
const MAX_SCALE = 400;
const SMOOTH = 4000; // points that are drawn as discs
const N_COLOURS = 8;

// The answer of /api/vocabulary: see adagram.web.vocabulary.packed.
export function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const { senses: n, words: m } = header;
  let at = 4 + length;
  const take = (Kind, size) => {
    const part = new Kind(buffer, at, size);
    at += part.byteLength;
    return part;
  };
  const [x, y, number, perWord] = [take(Uint16Array, n), take(Uint16Array, n), take(Uint16Array, n), take(Uint16Array, m)];
  const [theme, size] = [take(Uint8Array, n), take(Uint8Array, n)];
  const words = new TextDecoder().decode(new Uint8Array(buffer, at)).split("\n");
  const wordOf = new Uint32Array(n);
  const first = new Uint32Array(m + 1);
  perWord.forEach((count, word) => {
    first[word + 1] = first[word] + count;
    wordOf.fill(word, first[word], first[word + 1]);
  });
  return { ...header, n, x, y, number, theme, size, words, wordOf, first };
}

// Points by cell of a grid, and by size, the smallest first (both by counting).
function sorted(keys, n, nKeys) {
  const start = new Uint32Array(nKeys + 1);
  for (let i = 0; i < n; i++) start[keys[i] + 1]++;
  for (let k = 0; k < nKeys; k++) start[k + 1] += start[k];
  const next = start.slice();
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) order[next[keys[i]]++] = i;
  return { order, start };
}

const cell = (value) => Math.max(0, Math.min(CELLS - 1, Math.floor(value * CELLS)));

export class Points {
  // `title(i, isChosen)` is the label of a point; `colours` has a colour number per theme.
  constructor(canvas, data, title, colours) {
    Object.assign(this, { canvas, data, title, colours, context: canvas.getContext("2d") });
    this.view = { x: 0.5, y: 0.5, scale: 1 };
    this.marked = []; // points with a ring and a label
    this.hovered = -1;
    this.theme = -1; // the only one in colour, or all
    this.widths = new Map();
    this.grow = Math.max(1, Math.min(3, (100000 / data.n) ** 0.25)); // few points are larger
    this.bySize = sorted(data.size, data.n, 256).order;
    const cells = new Uint16Array(data.n);
    for (let i = 0; i < data.n; i++) cells[i] = cell(data.y[i] / 65535) * CELLS + cell(data.x[i] / 65535);
    this.byCell = sorted(cells, data.n, CELLS * CELLS);
    this.readColours();
    this.resize();
  }

  readColours() {
    const probe = this.canvas.parentElement.appendChild(document.createElement("span"));
    const read = (name, value) => {
      probe.className = name;
      probe.style.color = value;
      this.context.fillStyle = getComputedStyle(probe).color;
      return this.context.fillStyle; // as #rrggbb
    };
    this.palette = Array.from({ length: N_COLOURS }, (_, k) => read(`s${k}`, "var(--c)"));
    [this.ink, this.card, this.grey] = ["var(--ink)", "var(--card)", "var(--line)"].map((value) => read("", value));
    this.font = getComputedStyle(probe).fontFamily;
    probe.remove();
    const pixel = (hex) => (0xff000000 | parseInt(hex.slice(5, 7) + hex.slice(3, 5) + hex.slice(1, 3), 16)) >>> 0;
    this.pixels = this.palette.map(pixel);
    this.greyPixel = pixel(this.grey);
  }

  resize() {
    this.ratio = Math.min(2, window.devicePixelRatio || 1);
    [this.width, this.height] = [Math.max(1, this.canvas.clientWidth), Math.max(1, this.canvas.clientHeight)];
    [this.canvas.width, this.canvas.height] = [Math.round(this.width * this.ratio), Math.round(this.height * this.ratio)];
    this.image = this.context.createImageData(this.canvas.width, this.canvas.height);
    this.buffer = new Uint32Array(this.image.data.buffer);
    this.paint();
  }

  // Where a point is, in CSS pixels; a margin keeps those at the edges in sight.
  screen(i) {
    const { view, width, height, data } = this;
    return [((data.x[i] / 65535 - view.x) * 0.94 * view.scale + 0.5) * width, ((view.y - data.y[i] / 65535) * 0.94 * view.scale + 0.5) * height];
  }

  place(px, py) {
    const { view, width, height } = this;
    return [view.x + (px / width - 0.5) / view.scale / 0.94, view.y - (py / height - 0.5) / view.scale / 0.94];
  }

  move(view) {
    const scale = Math.max(1, Math.min(MAX_SCALE, view.scale));
    const reach = 0.5 / scale;
    const within = (value) => Math.max(Math.min(reach, 0.5), Math.min(1 - Math.min(reach, 0.5), value));
    this.view = { x: within(view.x), y: within(view.y), scale };
    this.schedule();
  }

  pan(dx, dy) {
    const { view, width, height } = this;
    this.move({ ...view, x: view.x - dx / width / view.scale / 0.94, y: view.y + dy / height / view.scale / 0.94 });
  }

  // Zoom so that what is under a pixel stays there.
  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const before = this.place(px, py);
    const scale = Math.max(1, Math.min(MAX_SCALE, this.view.scale * factor));
    this.view = { ...this.view, scale };
    const after = this.place(px, py);
    this.move({ x: this.view.x + before[0] - after[0], y: this.view.y + before[1] - after[1], scale });
  }

  // Move to where some points fill half of the frame.
  fly(points, most = 14) {
    const { data } = this;
    const [xs, ys] = [points.map((i) => data.x[i] / 65535), points.map((i) => data.y[i] / 65535)];
    const middle = (values) => (Math.min(...values) + Math.max(...values)) / 2;
    const span = Math.max(...[xs, ys].map((values) => Math.max(...values) - Math.min(...values)));
    this.go({ x: middle(xs), y: middle(ys), scale: Math.max(1, Math.min(most, 0.6 / Math.max(span, 1e-6))) });
  }

  go(to) {
    const from = this.view;
    const mine = (this.flight = {});
    const begin = performance.now();
    const step = (now) => {
      if (this.flight !== mine) return;
      const t = Math.max(0, Math.min(1, (now - begin) / 700));
      const part = t * t * (3 - 2 * t);
      const mix = (a, b) => a + (b - a) * part;
      this.move({ x: mix(from.x, to.x), y: mix(from.y, to.y), scale: Math.exp(mix(Math.log(from.scale), Math.log(to.scale))) });
      if (t < 1) requestAnimationFrame(step);
    };
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) this.move(to);
    else requestAnimationFrame(step);
  }

  schedule() {
    this.scheduled ??= requestAnimationFrame(() => { this.scheduled = undefined; this.paint(); });
  }

  // Points in sight, the smallest first as long as they are few.
  visible() {
    const { view, data } = this;
    if (view.scale < 2) return this.bySize;
    const found = [];
    const [left, top] = this.place(0, 0).map(cell);
    const [right, bottom] = this.place(this.width, this.height).map(cell);
    const { order, start } = this.byCell;
    for (let row = bottom; row <= top; row++) {
      for (let at = start[row * CELLS + left]; at < start[row * CELLS + right + 1]; at++) found.push(order[at]);
    }
    return found.length > SMOOTH ? found : found.sort((a, b) => data.size[a] - data.size[b]);
  }

  radius(i) {
    return (0.8 + 1.6 * (this.data.size[i] / 255) ** 2) * Math.min(4, this.view.scale ** 0.4 * this.grow);
  }

  paint() {
    const { context, canvas, ratio } = this;
    const points = this.visible();
    if (points.length > SMOOTH) this.paintPixels(points);
    else {
      context.clearRect(0, 0, canvas.width, canvas.height);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      this.paintDiscs(points);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.paintLabels();
    this.painted?.();
  }

  paintPixels(points) {
    const { data, view, buffer, ratio, pixels, colours } = this;
    const [w, h] = [this.canvas.width, this.canvas.height];
    const [sx, sy] = [(0.94 * view.scale * w) / 65535, (0.94 * view.scale * h) / 65535];
    const [ox, oy] = [w / 2 - view.x * 65535 * sx, h / 2 + view.y * 65535 * sy];
    const grow = 2 * Math.min(4, view.scale ** 0.4 * this.grow) * ratio;
    const sides = Float32Array.from({ length: 256 }, (_, size) => Math.max(1, Math.round((0.8 + 1.6 * (size / 255) ** 2) * grow)));
    buffer.fill(0);
    for (let j = 0; j < points.length; j++) {
      const i = points[j];
      const side = sides[data.size[i]];
      const left = Math.round(ox + data.x[i] * sx - side / 2);
      const top = Math.round(oy - data.y[i] * sy - side / 2);
      if (left < 0 || top < 0 || left + side > w || top + side > h) continue;
      const pixel = this.theme < 0 || this.theme === data.theme[i] ? pixels[colours[data.theme[i]]] : this.greyPixel;
      for (let row = top; row < top + side; row++) {
        const cut = side > 3 && (row === top || row === top + side - 1) ? 1 : 0; // without its corners it is nearly round
        for (let at = row * w + left + cut; at < row * w + left + side - cut; at++) buffer[at] = pixel;
      }
    }
    this.context.putImageData(this.image, 0, 0);
  }

  paintDiscs(points) {
    const { context, data } = this;
    context.globalAlpha = 0.85;
    for (const i of points) {
      const [x, y] = this.screen(i);
      context.fillStyle = this.theme < 0 || this.theme === data.theme[i] ? this.palette[this.colours[data.theme[i]]] : this.grey;
      context.beginPath();
      context.arc(x, y, this.radius(i), 0, 7);
      context.fill();
    }
    context.globalAlpha = 1;
  }

  // Labels in the order of importance, each if its place is free.
  paintLabels() {
    const { data } = this;
    const taken = [];
    for (const i of this.marked) this.ring(i);
    for (const i of this.marked) this.label(i, taken, 15, true);
    if (this.hovered >= 0) {
      this.ring(this.hovered);
      this.label(this.hovered, taken, 14, true);
    }
    if (this.view.scale < 5) this.paintThemes(taken);
    let left = Math.round((this.width * this.height) / (data.n < SMOOTH ? 4000 : 11000));
    for (let j = this.bySize.length - 1, tried = 0; j >= 0 && left > 0 && tried < 3000; j--) {
      const i = this.bySize[j];
      const [x, y] = this.screen(i);
      if (x < 0 || y < 0 || x > this.width || y > this.height || (this.theme >= 0 && data.theme[i] !== this.theme)) continue;
      if (i === this.hovered || this.marked.includes(i)) continue; // has its label
      tried++;
      if ((this.view.scale >= 2 || data.n < SMOOTH) && this.label(i, taken, 12.5, false)) left--;
    }
  }

  paintThemes(taken) {
    for (const { name, theme, at } of this.themes || []) {
      if (this.theme >= 0 && theme !== this.theme) continue;
      const [x, y] = this.screen(at);
      const [near, far] = [name.split(", ").slice(0, 2).join(", "), name.split(", ")[0]];
      const ways = this.width < 600 ? [far] : [near, far];
      ways.some((text) => this.write(text, x, y, taken, { size: this.width < 600 ? 13 : 15, weight: 600, colour: this.ink }));
    }
  }

  ring(i) {
    const [x, y] = this.screen(i);
    const { context } = this;
    context.lineWidth = 2.5;
    context.strokeStyle = this.ink;
    context.fillStyle = this.palette[this.colours[this.data.theme[i]]];
    context.beginPath();
    context.arc(x, y, Math.max(5, this.radius(i) + 2), 0, 7);
    context.fill();
    context.stroke();
  }

  label(i, taken, size, isForced) {
    const [x, y] = this.screen(i);
    const lift = isForced ? 14 : this.radius(i) + 8;
    const look = { size, weight: isForced ? 700 : 400, colour: this.ink, isForced };
    return [-lift, lift].some((dy, j) => this.write(this.title(i, isForced), x, y + dy, taken, { ...look, isForced: isForced && j === 1 }));
  }

  write(text, x, y, taken, { size, weight, colour, isForced }) {
    const { context } = this;
    context.font = `${weight} ${size}px ${this.font}`;
    const key = `${size} ${weight} ${text}`;
    if (!this.widths.has(key)) this.widths.set(key, context.measureText(text).width);
    const [half, up] = [this.widths.get(key) / 2 + 3, size * 0.62 + 2];
    const middle = Math.max(half, Math.min(this.width - half, x)); // the frame does not cut it
    if (Math.abs(middle - x) > half || y < up || y > this.height - up) return false;
    const box = [middle - half, y - up, middle + half, y + up];
    if (!isForced && taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) return false;
    taken.push(box);
    Object.assign(context, { textAlign: "center", textBaseline: "middle", lineJoin: "round", lineWidth: 4, strokeStyle: this.card, fillStyle: colour });
    context.strokeText(text, middle, y);
    context.fillText(text, middle, y);
    return true;
  }

  // The point nearest to a pixel, within a reach; -1 if there is none.
  near(px, py, reach = 14) {
    const [left, top] = this.place(px - reach, py - reach).map(cell);
    const [right, bottom] = this.place(px + reach, py + reach).map(cell);
    const { order, start } = this.byCell;
    let [best, least] = [-1, reach];
    for (let row = bottom; row <= top; row++) {
      for (let at = start[row * CELLS + left]; at < start[row * CELLS + right + 1]; at++) {
        const [x, y] = this.screen(order[at]);
        const distance = Math.hypot(x - px, y - py) - this.data.size[order[at]] / 100;
        if (distance < least) [best, least] = [order[at], distance];
      }
    }
    return best;
  }

  // Points within a polygon of pixels, the largest first.
  inside(corners) {
    const polygon = corners.map(([px, py]) => this.place(px, py));
    const [xs, ys] = [polygon.map(([x]) => x), polygon.map(([, y]) => y)];
    const box = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const found = [];
    for (let j = this.bySize.length - 1; j >= 0; j--) {
      const i = this.bySize[j];
      const [x, y] = [this.data.x[i] / 65535, this.data.y[i] / 65535];
      if (x < box[0] || x > box[1] || y < box[2] || y > box[3]) continue;
      let isIn = false;
      for (let a = 0, b = polygon.length - 1; a < polygon.length; b = a++) {
        const [[ax, ay], [bx, by]] = [polygon[a], polygon[b]];
        if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) isIn = !isIn;
      }
      if (isIn) found.push(i);
    }
    return found;
  }
}
