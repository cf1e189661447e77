/** @jest-environment node */
import { Problem } from '@app/primitives/problems';
import { Allow } from 'class-validator';
import { RawBody } from '../body/raw-body';
import * as is from './constraints';
import { inputOf } from './input';
import { ListQuery } from './list-query';
import { resource } from './operation';

class Part {
  @is.Text(1, 3)
  readonly name!: string;
}

class Body {
  @Allow()
  readonly claims?: unknown;
  @is.Optional('Parts of it.', is.NestedList(() => Part, 2))
  readonly parts?: Part[];
  @is.Optional('A code.', is.Text(1, 3, { problem: 'conflict' }))
  readonly code?: string;
  @is.Optional(
    'A date.',
    is.Check('isDate', 'must be a date', (value) => value === '2027-06-30', { problem: 'not-found', isDeferred: true }),
  )
  readonly date?: string;
  @is.Optional(
    'A list.',
    is.Faultless((value) => (value === 'list' ? [] : [{ pointer: '/0/name', message: 'must not be empty' }])),
  )
  readonly list?: unknown;
}

const { change } = resource(
  { path: 'v0/things', area: 'offers', tag: 'Things', description: 'Things.' },
  {
    change: {
      id: 'changeThing',
      route: 'POST :thingId',
      summary: 'Change a thing',
      query: ListQuery,
      body: Body,
      answers: { 204: 'It is changed.' },
    },
  },
);

function inputWith(body: RawBody, query: Record<string, string | string[]> = {}, thingId = 'x') {
  const originalUrl = Object.keys(query).length > 0 ? '/?query' : '/';
  return inputOf(change, { method: 'PUT', originalUrl, headers: {}, params: { thingId }, query, body });
}

function parsed(text: string): unknown {
  return inputWith(new RawBody(Buffer.from(text), 'application/json', 1000)).body;
}

const nothing = new RawBody(Buffer.alloc(0), '', 0);

function problemOf(act: () => unknown): Problem | undefined {
  try {
    act();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  return undefined;
}

/** The JSON Pointers of what is rejected. */
function refused(act: () => unknown): string[] {
  return (problemOf(act)?.violations ?? []).map(({ pointer }) => pointer);
}

describe('a management body', () => {
  it('keeps members that have the name of something every object inherits', () => {
    const claims = '{"toString":1,"constructor":{"valueOf":[{"hasOwnProperty":true}]}}';
    expect(JSON.stringify(parsed(`{"claims":${claims}}`))).toBe(`{"claims":${claims}}`);
  });

  it('still becomes the classes it names', () => {
    expect((parsed('{"parts":[{"name":"a"}]}') as Body).parts?.[0]).toBeInstanceOf(Part);
    expect(refused(() => parsed('{"parts":[{"name":1}]}'))).toEqual(['/parts/0/name']);
  });

  it.each(['constructor', 'toString', '__proto__', 'colour'])('is refused for an unknown member %s', (name) => {
    expect(refused(() => parsed(`{"${name}":1}`))).toEqual([`/${name}`]);
  });

  it('has texts as long as they have characters, of which some are two of JavaScript', () => {
    const ticket = '\u{1f3ab}';
    expect(refused(() => parsed(`{"code":"${ticket.repeat(3)}"}`))).toEqual([]);
    expect(refused(() => parsed(`{"code":"${ticket.repeat(4)}"}`))).toEqual(['/code']);
    expect(refused(() => parsed('{"code":"abcd"}'))).toEqual(['/code']);
  });

  it('is refused for U+0000 anywhere, with the place', () => {
    expect(refused(() => parsed('{"claims":{"a":["x\\u0000"],"b/\\u0000":1}}'))).toEqual([
      '/claims/a/0',
      '/claims/b~1\u0000',
    ]);
  });
});

describe('a number', () => {
  it.each(['1e999', '-1e999', '9007199254740993', '1e21'])(
    '%s is refused, because it would come back as another',
    (n) => {
      expect(refused(() => parsed(`{"claims":{"n":[${n}]}}`))).toEqual(['/claims/n/0']);
    },
  );

  it.each(['0.1', '-0.5e-7', '9007199254740991'])('%s passes', (n) => {
    expect(parsed(`{"claims":{"n":[${n}]}}`)).toEqual({ claims: { n: [Number(n)] } });
  });
});

describe('a decimal', () => {
  it.each([
    '0.12345678901234567890',
    '0.10000000000000001',
    '-1.0000000000000000001',
    '123456789.123456789012',
    '2.5e-400',
    `0.${'0'.repeat(400)}1`,
  ])('%s is refused, because it would come back as another', (n) => {
    expect(refused(() => parsed(`{"claims":{"a/b":["\\"[1,",{},0.5,{"c":${n}}]}}`))).toEqual(['/claims/a~1b/3/c']);
  });

  it.each([
    '0.1234567890123456',
    '1.10000000000000000000',
    '1.5e10',
    '-0.0',
    '0e999',
    '5e-324',
    '1.7976931348623157e3',
  ])('%s passes', (n) => {
    expect(parsed(`{"claims":{"n":[${n}]}}`)).toEqual({ claims: { n: [Number(n)] } });
  });

  it('passes as text', () => {
    const claims = { a: '0.12345678901234567890', '0.12345678901234567890': '1e-400' };
    expect(parsed(JSON.stringify({ claims }))).toEqual({ claims });
  });

  it('is refused in every place at once', () => {
    const body = '{"claims":[0.12345678901234567890,"\\u0000",9007199254740993,{"a":1e-999}],"parts":[]}';
    expect(refused(() => parsed(body)).sort()).toEqual(['/claims/0', '/claims/1', '/claims/2', '/claims/3/a']);
  });
});

describe('faults of a body', () => {
  const detailOf = (text: string) => problemOf(() => parsed(text))?.detail;

  it('are all reported, and the first five named in the detail', () => {
    const body = '{"colour":1,"parts":[{"name":""},{"nmae":"a"}],"code":7,"date":"soon","list":[]}';
    const pointers = ['/colour', '/parts/1/nmae', '/parts/0/name', '/parts/1/name', '/code', '/date', '/list/0/name'];
    expect(refused(() => parsed(body))).toEqual(pointers);
    expect(detailOf(body)).toBe(
      '/colour: Unknown property. Known: claims, parts, code, date, list; /parts/1/nmae: Unknown property. Did you mean name?; ' +
        '/parts/0/name: must be a string of 1 to 3 characters; /parts/1/name: is required and must be a string of 1 to 3 characters; ' +
        '/code: must be a string of 1 to 3 characters; and 2 more.',
    );
  });

  it('have the name of the problem when all of them have one', () => {
    expect(problemOf(() => parsed('{"code":7}'))?.slug).toBe('conflict');
    expect(problemOf(() => parsed('{"code":7,"date":"soon"}'))?.slug).toBe('conflict');
    expect(problemOf(() => parsed('{"code":7,"colour":1}'))?.slug).toBe('validation-failed');
  });

  it('that the operation itself reports after other checks are left to it when they are the only ones', () => {
    expect(parsed('{"date":"soon"}')).toEqual({ date: 'soon' });
  });

  it('in a list of objects have the place of the item', () => {
    expect(refused(() => parsed('{"parts":[null,[]]}'))).toEqual(['/parts/0', '/parts/1']);
    expect(refused(() => parsed('{"parts":[{"name":"a"},{"name":"b"},{"name":"c"}]}'))).toEqual(['/parts']);
  });
});

describe('the other parts of a request', () => {
  it('name nothing when they hold U+0000', () => {
    expect(() => inputWith(nothing, {}, '\0')).toThrow('Not Found');
    expect(refused(() => inputWith(nothing, { cursor: '\0' }))).toEqual(['/cursor']);
  });

  it('are rejected together with the body', () => {
    const body = new RawBody(Buffer.from('{"code":7}'), 'application/json', 1000);
    expect(refused(() => inputWith(body, { limit: '0x10', page: '2' }))).toEqual(['/page', '/limit', '/code']);
  });

  it.each(['0', '201', '050', '1e2', ' 5', ''])('give no page of %j items', (limit) => {
    expect(refused(() => inputWith(nothing, { limit }))).toEqual(['/limit']);
  });

  it('give pages of fifty items unless they say otherwise', () => {
    expect(inputWith(nothing).query.page).toEqual({ limit: 50 });
    expect(inputWith(nothing, { limit: '200', cursor: 'next' }).query.page).toEqual({ limit: 200, cursor: 'next' });
    expect(refused(() => inputWith(nothing, { cursor: ['a', 'b'] }))).toEqual(['/cursor']);
  });
});
