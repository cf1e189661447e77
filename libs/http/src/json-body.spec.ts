import { Problem } from '@app/problem-details';
import { Allow, IsArray, IsOptional, IsString, ValidateNested } from 'class-validator';
import { JsonBodyPipe } from './json-body';
import { Nested } from './nested';
import { RawBody } from './raw-body';

class Part {
  @IsString()
  readonly name!: string;
}

class Body {
  @Allow()
  readonly claims?: unknown;

  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Nested(() => Part)
  readonly parts?: Part[];
}

function parsed(text: string): unknown {
  const body = new RawBody(Buffer.from(text), 'application/json', 1000);
  return new JsonBodyPipe().transform(body, { type: 'body', metatype: Body });
}

/** The JSON Pointers of what is refused. */
function refused(act: () => unknown): string[] {
  try {
    act();
  } catch (error) {
    if (error instanceof Problem) return error.violations.map(({ pointer }) => pointer);
    throw error;
  }
  return [];
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

describe('the other parts of a request', () => {
  const pipe = new JsonBodyPipe();

  it('name nothing when they hold U+0000', () => {
    expect(() => pipe.transform('\0', { type: 'param' })).toThrow('Not Found');
    expect(refused(() => pipe.transform({ offerId: '\0' }, { type: 'query' }))).toEqual(['/offerId']);
  });

  it('pass otherwise', () => {
    expect(pipe.transform('x', { type: 'param' })).toBe('x');
    expect(pipe.transform({ limit: '5' }, { type: 'query' })).toEqual({ limit: '5' });
  });
});
