import { type FourEyes, fourEyesOf, isWeaker } from './four-eyes';

const all: FourEyes = { revoke: true, publish: true, bulkOver: 50 };

it.each<FourEyes | undefined>([
  undefined,
  {},
  { ...all, bulkOver: 51 },
  { revoke: true, bulkOver: 50 },
  { publish: true, bulkOver: 50 },
])('what two persons approve is less with %j', (after) => {
  expect(isWeaker(after, all)).toBe(true);
});

it('what two persons approve is not less with what is as strict or stricter', () => {
  for (const after of [all, { ...all, bulkOver: 0 }]) expect(isWeaker(after, all)).toBe(false);
  expect(isWeaker(all, undefined)).toBe(false);
  expect(isWeaker(undefined, undefined)).toBe(false);
});

it('nothing is stored of a rule that asks for nothing', () => {
  expect(fourEyesOf({})).toBeUndefined();
  expect(fourEyesOf({ bulkOver: 0 })).toEqual({ bulkOver: 0 });
});
