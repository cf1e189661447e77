import { propertiesInOrder, propertyOrderOf } from './property-order';

const text = { type: 'string' };
const schema = {
  type: 'object',
  properties: {
    given_name: text,
    age: { type: 'integer' },
    address: { type: 'object', properties: { street: text, city: text }, required: ['city'] },
  },
  $defs: { 'a/b': { properties: { zz: text, y: text } } },
};
/** As jsonb gives it back. */
const stored = {
  type: 'object',
  $defs: { 'a/b': { properties: { y: text, zz: text } } },
  properties: {
    age: { type: 'integer' },
    address: { type: 'object', required: ['city'], properties: { city: text, street: text } },
    given_name: text,
  },
};

describe('the order of properties', () => {
  it('comes back from an object without order, at every depth', () => {
    const read = propertiesInOrder(stored, propertyOrderOf(schema)) as unknown as typeof schema;
    expect(read).toEqual(schema);
    expect(Object.keys(read.properties)).toEqual(['given_name', 'age', 'address']);
    expect(Object.keys(read.properties.address.properties)).toEqual(['street', 'city']);
    expect(Object.keys(read.$defs['a/b'].properties)).toEqual(['zz', 'y']);
  });

  it('is not written down where the database has the same', () => {
    expect(propertyOrderOf(stored)).toEqual([]);
    expect(propertiesInOrder(stored)).toBe(stored);
    // By bytes, not by characters: é has two.
    expect(propertyOrderOf({ properties: { z: text, é: text } })).toEqual([]);
    expect(propertyOrderOf({ properties: { é: text, z: text } })).toEqual([['/properties', 'é', 'z']]);
  });

  it('leaves what it does not name behind the rest, and forgets what is gone', () => {
    const changed = propertiesInOrder({ properties: { a: text, c: text, b: text } }, [
      ['/properties', 'b', 'gone', 'a'],
    ]);
    expect(Object.keys(changed['properties'] as object)).toEqual(['b', 'a', 'c']);
  });
});
