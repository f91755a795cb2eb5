// Which points lie nearest to one: a tree of halves. points: count x d numbers.

const LEAF = 16, MOST_SHARE = 16;

export class Tree {
  constructor(points, d) {
    this.points = points;
    this.d = d;
    this.order = Uint32Array.from({ length: points.length / d }, (_, i) => i);
    this.root = this.halve(0, this.order.length);
  }

  // A node of order[first] to before order[end].
  halve(first, end) {
    if (end - first <= LEAF) return { first, end };
    const { d, points } = this;
    let axis = 0, widest = -1;
    for (let i = 0; i < d; i++) {
      let low = Infinity, high = -Infinity;
      for (let n = first; n < end; n++) {
        const value = points[this.order[n] * d + i];
        if (value < low) low = value;
        if (value > high) high = value;
      }
      if (high - low > widest) [widest, axis] = [high - low, i];
    }
    const middle = (first + end) >> 1;
    this.order.subarray(first, end).sort((a, b) => points[a * d + axis] - points[b * d + axis]);
    return { axis, at: points[this.order[middle] * d + axis], left: this.halve(first, middle), right: this.halve(middle, end) };
  }

  // The k nearest to x go to found, nearest first, with their squared distances; returns how many they are.
  // orthant: only those in this one of x.
  find(x, k, found, distances, orthant = -1) {
    this.asked = { x, k, found, distances, orthant };
    this.count = 0;
    this.visit(this.root);
    return this.count;
  }

  // As orffi_near_around of the library: of k rows each orthant of x has at least half of an equal share, or all of its rows; some of
  // the farthest nearest ones give way to them.
  around(x, k, found, distances) {
    const orthants = 1 << this.d, share = Math.min(Math.floor(k / (2 * orthants)), MOST_SHARE), count = this.find(x, k, found, distances);
    if (count < k || !share) return count;
    const had = new Array(orthants).fill(0), others = new Uint32Array(share), squares = new Float64Array(share);
    let end = count;
    for (let i = 0; i < count; i++) had[this.orthant(x, found[i])]++;
    for (let o = 0; o < orthants; o++) {
      if (had[o] >= share) continue;
      const met = this.find(x, share, others, squares, o);
      for (let i = 0; i < met; i++) {
        if (found.subarray(0, count).includes(others[i])) continue;
        let at = end - 1;
        while (at >= 0 && had[this.orthant(x, found[at])] <= share) at--;
        if (at < 0) continue;
        had[this.orthant(x, found[at])]--;
        found.copyWithin(at, at + 1, count);
        distances.copyWithin(at, at + 1, count);
        found[count - 1] = others[i];
        distances[count - 1] = squares[i];
        end--;
      }
    }
    return count;
  }

  // Bit i: the point is not below x along i.
  orthant(x, point) {
    let orthant = 0;
    for (let i = 0; i < this.d; i++) if (this.points[point * this.d + i] >= x[i]) orthant |= 1 << i;
    return orthant;
  }

  visit(node) {
    const { x, k, distances, orthant } = this.asked;
    if (!node.left) return this.visitLeaf(node);
    const apart = x[node.axis] - node.at, [near, far] = apart < 0 ? [node.left, node.right] : [node.right, node.left];
    const upper = orthant >> node.axis & 1, skip = orthant < 0 ? null : upper && node.at < x[node.axis] ? node.left : !upper && node.at >= x[node.axis] ? node.right : null;
    if (near !== skip) this.visit(near);
    if (far !== skip && (this.count < k || apart * apart <= distances[k - 1])) this.visit(far);
  }

  visitLeaf({ first, end }) {
    const { d, points, order } = this, { x, k, found, distances, orthant } = this.asked;
    for (let n = first; n < end; n++) {
      if (orthant >= 0 && this.orthant(x, order[n]) !== orthant) continue;
      let square = 0;
      for (let i = 0; i < d; i++) square += (points[order[n] * d + i] - x[i]) ** 2;
      if (this.count === k && square >= distances[k - 1]) continue;
      let at = this.count < k ? this.count++ : k - 1;
      for (; at > 0 && distances[at - 1] > square; at--) {
        distances[at] = distances[at - 1];
        found[at] = found[at - 1];
      }
      distances[at] = square;
      found[at] = order[n];
    }
  }
}
