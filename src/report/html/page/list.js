"use strict";
// A list of entries of different heights of which only those near the window are in the document. Heights are estimated until
// an entry was drawn once; sums of them are kept in a tree, so that 100,000 entries scroll like ten.

class Heights {
  constructor(estimates) {
    this.own = Float64Array.from(estimates);
    this.sums = new Float64Array(this.own.length + 1);
    for (let i = 1; i <= this.own.length; i++) {
      this.sums[i] += this.own[i - 1];
      const parent = i + (i & -i);
      if (parent <= this.own.length) this.sums[parent] += this.sums[i];
    }
  }

  get length() { return this.own.length; }

  set(index, height) {
    const by = height - this.own[index];
    if (by === 0) return;
    this.own[index] = height;
    for (let i = index + 1; i <= this.own.length; i += i & -i) this.sums[i] += by;
  }

  // Where an entry begins.
  top(index) {
    let sum = 0;
    for (let i = index; i > 0; i -= i & -i) sum += this.sums[i];
    return sum;
  }

  get total() { return this.top(this.own.length); }

  // The entry at a height.
  at(y) {
    let index = 0;
    let step = 1;
    while (step * 2 <= this.own.length) step *= 2;
    for (; step > 0; step >>= 1) {
      if (index + step <= this.own.length && this.sums[index + step] <= y) {
        index += step;
        y -= this.sums[index];
      }
    }
    return Math.min(index, Math.max(this.own.length - 1, 0));
  }
}

const OVERSCAN = 600;

class List {
  // `draw` makes the element of an entry, `estimate` guesses its height, `after` is called when the window has moved.
  constructor(scroller, { draw, estimate, after }) {
    this.scroller = scroller;
    this.draw = draw;
    this.estimate = estimate;
    this.after = after;
    this.space = element("div", "space");
    this.stage = element("div", "stage");
    this.space.append(this.stage);
    scroller.append(this.space);
    this.drawn = new Map();
    this.entries = [];
    this.heights = new Heights([]);
    this.first = 0;
    this.end = 0;
    this.queued = false;
    scroller.addEventListener("scroll", () => this.queue(), { passive: true });
    this.width = 0;
    new ResizeObserver(() => {
      const changed = scroller.clientWidth !== this.width;
      this.width = scroller.clientWidth;
      if (changed && this.entries.length > 0) this.estimateAll();
      this.queue();
    }).observe(scroller);
  }

  show(entries) {
    this.entries = entries;
    this.clear();
    this.heights = new Heights(entries.map(this.estimate));
    this.render();
  }

  clear() {
    for (const own of this.drawn.values()) own.remove();
    this.drawn.clear();
  }

  // Texts wrap in other places: what was measured is no longer valid.
  estimateAll() {
    const anchor = this.anchor();
    this.heights = new Heights(this.entries.map(this.estimate));
    this.scrollTo(anchor);
  }

  // The first entry in the window, and how far it is scrolled out of it.
  anchor() {
    const y = this.scroller.scrollTop;
    const index = this.heights.at(y);
    return { index, within: y - this.heights.top(index) };
  }

  scrollTo({ index, within }) {
    this.space.style.height = `${this.heights.total}px`;
    this.scroller.scrollTop = this.heights.top(index) + within;
  }

  queue() {
    if (this.queued) return;
    this.queued = true;
    requestAnimationFrame(() => {
      this.queued = false;
      this.render();
    });
  }

  // Draws an entry anew, or all of them.
  redraw(index) {
    if (index === undefined) {
      this.clear();
    } else if (this.drawn.has(index)) {
      this.drawn.get(index).remove();
      this.drawn.delete(index);
    }
    this.render();
  }

  // Brings an entry into the window; twice, as what is between was only estimated.
  reveal(index, calm = true) {
    for (let pass = 0; pass < 3; pass++) {
      const top = this.heights.top(index);
      const height = this.heights.own[index];
      const { scrollTop, clientHeight } = this.scroller;
      const inside = top >= scrollTop + 8 && top + Math.min(height, clientHeight - 48) <= scrollTop + clientHeight - 8;
      if (inside && calm) break;
      this.scrollTo({ index, within: -Math.min(96, Math.max(8, (clientHeight - height) / 3)) });
      this.render();
      calm = true;
    }
  }

  render() {
    for (let pass = 0; pass < 4; pass++) if (!this.pass()) break;
    this.after(this);
  }

  // Draws what is in the window and measures it. True if heights were other than estimated, and what is in the window
  // may have changed.
  pass() {
    const { scroller, heights } = this;
    this.space.style.height = `${heights.total}px`;
    const anchor = this.anchor();
    const top = scroller.scrollTop;
    const first = heights.at(Math.max(0, top - OVERSCAN));
    const end = heights.length === 0 ? 0 : heights.at(top + scroller.clientHeight + OVERSCAN) + 1;
    for (const [index, own] of this.drawn) {
      if (index < first || index >= end) {
        own.remove();
        this.drawn.delete(index);
      }
    }
    let next = null;
    const fresh = [];
    for (let index = end - 1; index >= first; index--) {
      let own = this.drawn.get(index);
      if (own === undefined) {
        own = this.draw(this.entries[index], index);
        this.drawn.set(index, own);
        this.stage.insertBefore(own, next);
      }
      fresh.push([index, own]);
      next = own;
    }
    this.first = first;
    this.end = end;
    let moved = false;
    // All are measured before anything is written, so that the browser lays out the page once.
    const measured = fresh.map(([index, own]) => [index, own.getBoundingClientRect().height]);
    for (const [index, height] of measured) {
      if (Math.abs(heights.own[index] - height) > 0.1) {
        heights.set(index, height);
        moved = true;
      }
    }
    this.stage.style.transform = `translateY(${heights.top(first)}px)`;
    if (moved) this.scrollTo(anchor);
    return moved;
  }
}

// An element with a class, texts and other elements.
function element(name, classes, ...children) {
  const own = document.createElement(name);
  if (classes) own.className = classes;
  own.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return own;
}
