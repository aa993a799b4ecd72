/** A ranking with ties, the most human first. Each row has a label, and may share the place above. */
export class Order {
  /** @param {Record<string, number>} ranks label to rank, in any unit; equal ranks share a place */
  constructor(ranks) {
    const labels = Object.keys(ranks).sort((one, other) => ranks[one] - ranks[other]);
    this.rows = labels.map((label, at) => ({ label, tied: ranks[label] === ranks[labels[at - 1]] }));
  }

  /** Each label with its place (1, 2, 2, 4), and whether others share it. */
  places() {
    let place = 0;
    return this.rows.map(({ label, tied }, at) => {
      if (!tied) place = at + 1;
      return { label, place, shared: tied || Boolean(this.rows[at + 1]?.tied) };
    });
  }

  /** Moves a label to a row, from 0. Between two labels that share a place, it shares their place. */
  move(label, to) {
    const at = this.rows.findIndex((row) => row.label === label);
    const [row] = this.rows.splice(at, 1);
    // The next label becomes the first of those that shared the moved label's place.
    if (!row.tied && this.rows[at]) this.rows[at].tied = false;
    const place = Math.max(0, to);
    this.rows.splice(place, 0, { label, tied: Boolean(this.rows[place]?.tied) });
  }

  /** Makes a label share the place above, or gives it its own place again. */
  share(label) {
    const at = this.rows.findIndex((row) => row.label === label);
    if (at > 0) this.rows[at].tied = !this.rows[at].tied;
  }

  /** Twice each rank: two labels that share places 1 and 2 have rank 1.5 each, so this is 3. */
  ranks() {
    const places = this.places();
    const sharing = (place) => places.filter((row) => row.place === place).length;
    return Object.fromEntries(places.map(({ label, place }) => [label, 2 * place + sharing(place) - 1]));
  }
}
