import { entryOrder } from './entry-order';

const key = Buffer.alloc(32, 7);
const size = 2 ** 17;

describe('the order of entries', () => {
  it('has each entry of a list once', () => {
    const entryAt = entryOrder(key, size);
    const entries = Array.from({ length: size }, (_, place) => entryAt(place));
    expect(new Set(entries).size).toBe(size);
    expect(Math.min(...new Set(entries.slice(0, 1000)))).toBeGreaterThanOrEqual(0);
    expect(entries.every((entry) => entry < size)).toBe(true);
  });

  it('shows nothing of the place: half of the neighbours come in either direction, far apart', () => {
    const entryAt = entryOrder(key, size);
    const steps = Array.from({ length: 4000 }, (_, place) => entryAt(place + 1) - entryAt(place));
    const upwards = steps.filter((step) => step > 0).length;
    expect(upwards).toBeGreaterThan(1800);
    expect(upwards).toBeLessThan(2200);
    const average = steps.reduce((sum, step) => sum + Math.abs(step), 0) / steps.length;
    // A third of the size, as of two random places.
    expect(average / size).toBeGreaterThan(0.3);
    expect(average / size).toBeLessThan(0.37);
  });

  it('is another one for another key', () => {
    const [one, other] = [entryOrder(key, size), entryOrder(Buffer.alloc(32, 8), size)];
    const same = Array.from({ length: 1000 }, (_, place) => one(place) === other(place)).filter(Boolean);
    expect(same.length).toBeLessThan(5);
  });

  it.each([-1, 0.5, size])('has no place %s', (place) => {
    expect(() => entryOrder(key, size)(place)).toThrow(RangeError);
  });

  it('is of lists whose size is a power of two', () => {
    expect(() => entryOrder(key, 100_000)).toThrow(RangeError);
  });
});
