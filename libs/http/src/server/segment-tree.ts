interface Place {
  readonly next: Map<string, Place>;
  /** Of what was added here. */
  readonly indexes: number[];
  parameter?: Place;
}

/** Values by the segments of addresses, some of which are parameters (`:offerId`). */
export class SegmentTree<V> {
  /** In the order in which they were added. */
  readonly all: V[] = [];
  private readonly root = newPlace();

  add(segments: readonly string[], value: V): void {
    segments.reduce(placeBelow, this.root).indexes.push(this.all.push(value) - 1);
  }

  /** Those whose addresses the segments of a path are, in the order in which they were added. @param isValue of a parameter */
  matching(segments: readonly string[], isValue: (segment: string) => boolean): V[] {
    let places = [this.root];
    for (const segment of segments) {
      const further: Place[] = [];
      for (const { next, parameter } of places) {
        const fixed = next.get(segment);
        if (fixed) further.push(fixed);
        if (parameter && isValue(segment)) further.push(parameter);
      }
      if (further.length === 0) return [];
      places = further;
    }
    // Nearly always one.
    const [only, other] = places;
    const found = other ? places.flatMap(({ indexes }) => indexes).sort((a, b) => a - b) : (only?.indexes ?? []);
    return found.map((index) => this.all[index] as V);
  }
}

export function isParameter(segment: string): boolean {
  return segment.startsWith(':');
}

function newPlace(): Place {
  return { next: new Map(), indexes: [] };
}

/** Made where there is none. */
function placeBelow(place: Place, segment: string): Place {
  if (isParameter(segment)) return (place.parameter ??= newPlace());
  const next = place.next.get(segment) ?? newPlace();
  place.next.set(segment, next);
  return next;
}
