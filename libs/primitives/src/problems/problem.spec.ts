import { Problem, problemDocument, validationFailed, type Violation } from './problem';

function listed(violations: Violation[]): unknown {
  const problem = new Problem('validation-failed', 'The body has faults.', violations);
  return problemDocument(problem, 'https://issuer.example', '/v0/templates').violations;
}

const many = (count: number, pointer: string): Violation[] =>
  Array.from({ length: count }, () => ({ pointer, message: 'is not valid' }));

describe('the document of a problem', () => {
  it('lists at most a hundred violations', () => {
    expect(listed(many(100, '/a'))).toHaveLength(100);
    expect(listed(many(100_000, '/a'))).toHaveLength(100);
  });

  it('lists fewer when their pointers are long, and always the first', () => {
    expect(listed(many(100, `/${'a'.repeat(20_000)}`))).toHaveLength(3);
    expect(listed(many(100, `/${'a'.repeat(500_000)}`))).toHaveLength(1);
  });
});

describe('the problem of a request with faults', () => {
  const faults = (count: number): Violation[] =>
    Array.from({ length: count }, (_, index) => ({ pointer: `/m${index}`, message: 'Unknown property.' }));
  const named =
    '/m0: Unknown property; /m1: Unknown property; /m2: Unknown property; /m3: Unknown property; /m4: Unknown property';

  it('names the first five of them, and says how many others it lists', () => {
    expect(validationFailed(faults(5)).detail).toBe(`${named}.`);
    const { detail, violations } = validationFailed(faults(7));
    expect(detail).toBe(`${named}; and 2 more.`);
    expect(violations).toEqual(faults(7));
  });
});
