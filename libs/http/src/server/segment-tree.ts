interface Added<V> {
  readonly order: number;
  readonly value: V;
}

interface Place<V> {
  readonly next: Map<string, Place<V>>;
  readonly values: Added<V>[];
  parameter?: Place<V>;
}

/** Values by the segments of addresses, some of which are parameters (`:offerId`). */
export class SegmentTree<V> {
  private readonly root: Place<V> = newPlace();
  private readonly added: V[] = [];

  /** In the order in which they were added. */
  get all(): readonly V[] {
    return this.added;
  }

  add(segments: readonly string[], value: V): void {
    const order = this.added.push(value);
    segments.reduce(placeBelow, this.root).values.push({ order, value });
  }

  /** Those whose addresses the segments of a path are, in the order in which they were added. @param isValue of a parameter */
  matching(segments: readonly string[], isValue: (segment: string) => boolean): V[] {
    let places = [this.root];
    for (const segment of segments) {
      const further: Place<V>[] = [];
      for (const { next, parameter } of places) {
        const fixed = next.get(segment);
        if (fixed) further.push(fixed);
        if (parameter && isValue(segment)) further.push(parameter);
      }
      if (further.length === 0) return [];
      places = further;
    }
    const found =
      places.length === 1 ? (places[0]?.values ?? []) : places.flatMap(({ values }) => values).sort(byOrder);
    return found.map(({ value }) => value);
  }
}

export function isParameter(segment: string): boolean {
  return segment.startsWith(':');
}

function byOrder(one: Added<unknown>, other: Added<unknown>): number {
  return one.order - other.order;
}

function newPlace<V>(): Place<V> {
  return { next: new Map(), values: [] };
}

/** Made where there is none. */
function placeBelow<V>(place: Place<V>, segment: string): Place<V> {
  if (isParameter(segment)) return (place.parameter ??= newPlace());
  const next = place.next.get(segment) ?? newPlace();
  place.next.set(segment, next);
  return next;
}
