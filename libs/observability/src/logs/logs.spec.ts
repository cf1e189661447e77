/** @jest-environment node */
import { Logger } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import { Writable } from 'node:stream';
import { logFields } from './log-fields';
import { createLogger } from './logs.module';
import { readableLines } from './readable-lines';
import { ServiceLogger } from './service-logger';

const written: string[] = [];
const pinoHttp = {
  logger: createLogger({ level: 'trace', readable: false }, { write: (line: string) => void written.push(line) }),
};
const logger = new Logger('Somebody');

beforeAll(() => {
  Logger.overrideLogger(new ServiceLogger(new PinoLogger({ pinoHttp }), {}));
});
afterAll(() => {
  Logger.overrideLogger(false);
});
beforeEach(() => {
  written.length = 0;
});

/** The one line that was written. */
function line(): Record<string, unknown> {
  expect(written).toHaveLength(1);
  expect(written[0]?.match(/\n/g)).toEqual(['\n']);
  return JSON.parse(written[0] ?? '') as Record<string, unknown>;
}

describe('a line of the log', () => {
  it('holds what is in the list, the time, the level and who says it', () => {
    logger.warn({ event: 'limit.reached', limit: 'failed-access', failures: 3 });
    const { time, ...rest } = line();
    expect(rest).toEqual({
      level: 'warn',
      context: 'Somebody',
      event: 'limit.reached',
      limit: 'failed-access',
      failures: 3,
    });
    expect(new Date(String(time)).toISOString()).toBe(time);
  });

  it('drops what is not in the list, and says how much', () => {
    const claims = { given_name: 'canary' };
    logger.log({ event: 'x', claims, token: 'canary', canary: 1, reason: { nested: 'canary' }, route: ['canary'] });
    expect(line()).toMatchObject({ event: 'x', dropped: 5 });
    expect(written[0]).not.toMatch(/canary|given_name|token/);
  });

  const attack = 'a\r\n{"level":"error","forged":true}\u001b[2J\u0000"\\\u2028\u2029\u009b31m\ud800 end';

  it('stays one line of JSON whatever any of its members holds', () => {
    expect(logFields.size).toBeGreaterThan(19);
    for (const name of logFields) {
      written.length = 0;
      logger.log({ [name]: attack });
      const said = line()[name === 'context' ? 'context' : name];
      expect(typeof said).toBe('string');
      expect(written[0]).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/);
      expect(line()).not.toHaveProperty('forged');
    }
  });

  it('stays one line of JSON whatever its message is', () => {
    logger.warn(attack);
    expect(line()['msg']).toContain('forged');
    expect(written[0]).not.toContain('\u001b');
  });

  it('does not grow with what it holds', () => {
    logger.log({ event: 'x', reason: 'r'.repeat(100_000) });
    expect(written[0]?.length).toBeLessThan(500);
  });
});

describe('an error in the log', () => {
  const secret = 'canary: Key (claim)=(Erika) already exists.';

  it('has a name, a code and the places it passed, and neither its message nor its members', () => {
    const cause = Object.assign(new Error(secret), { code: '23505', detail: secret, where: secret });
    const members = { name: 'SqlError', code: '23505', constraint: 'events_pkey', detail: secret };
    const error = Object.assign(new Error(secret, { cause }), members);
    logger.error({ event: 'request.failed', instance: 'urn:uuid:1', err: error });
    const { err } = line() as { err: Record<string, unknown> };
    expect(err).toMatchObject({ name: 'SqlError', code: '23505', cause: { name: 'Error', code: '23505' } });
    expect(String(err['stack'])).toMatch(/^ {4}at .*logs\.spec\.ts:\d+:\d+\)?\n/);
    expect(written[0]).not.toMatch(/canary|Erika/);
  });

  it.each([
    [
      'given as it is',
      (error: Error): void => {
        logger.error(error);
      },
    ],
    [
      'given with its stack',
      (error: Error): void => {
        logger.error(error.message, error.stack);
      },
    ],
    [
      'given as a cause',
      (error: Error): void => {
        logger.error({ err: new Error('x', { cause: error }) });
      },
    ],
  ])('drops a message of many lines that looks like a stack (%s)', (_how, log) => {
    log(new TypeError(`canary\n    at canary (/canary.js:1:1)\n    at /canary.js:2:2`));
    expect(line()).toHaveProperty('err.name');
    expect(written[0]).not.toContain('canary');
  });

  it('has no name, code or stack that was not set by this code', () => {
    const error = Object.assign(new Error('x'), { name: 'canary line\n', code: 'canary', stack: 'canary\ncanary' });
    logger.error({ err: error });
    logger.error({ err: 'canary' });
    logger.error({ err: { message: 'canary' } });
    expect(written.map((text) => (JSON.parse(text) as { err: unknown }).err)).toEqual([
      { name: 'Error' },
      { name: '(string)' },
      { name: '(object)' },
    ]);
  });
});

describe('what the framework says of its own start', () => {
  it('is not said again', () => {
    for (const context of ['InstanceLoader', 'RouterExplorer', 'RoutesResolver', 'NestFactory', 'NestApplication'])
      Logger.log('canary', context);
    Logger.error('canary', undefined, 'ExceptionHandler');
    expect(written).toEqual([]);
  });
});

describe('readable lines', () => {
  it('are one line each, and show control characters instead of obeying them', async () => {
    const shown: string[] = [];
    const screen = new Writable({
      write(chunk: Buffer, _encoding, done) {
        shown.push(chunk.toString());
        done();
      },
    });
    const readable = createLogger({ level: 'info', readable: true }, readableLines(screen));
    readable.info({ event: 'request.answered', method: 'GET', route: '/v0/offers', status: 200, durationMs: 1.5 });
    readable.warn('one\r\ntwo\u001b[2J');
    readable.warn({ event: 'a\nb', reason: 'c\nd\u001b[2J' });
    await new Promise((resolve) => setImmediate(resolve));
    const lines = shown.join('').trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain('GET /v0/offers 200 1.5 ms');
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f]/);
  });
});
