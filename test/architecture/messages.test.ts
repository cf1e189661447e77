import { type INestApplication, Module } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { Command, CommandBus, CommandHandler, CqrsModule, type ICommandHandler, Query, QueryBus } from '@nestjs/cqrs';
import { Test } from '@nestjs/testing';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sourceFiles } from '../support/repository/source-files';
import { type RunningService, startService } from '../support/service/service';

type Class = abstract new (...given: never[]) => unknown;

/** The message class of every handler that Nest has made, one entry for each handler. */
function handledMessages(app: Pick<INestApplication, 'get'>): Class[] {
  const providers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.providers.values()]);
  // A provider that a module exports and another one imports is one and the same.
  const classes = new Set(providers.map(({ metatype }) => metatype).filter((one) => typeof one === 'function'));
  // What `@CommandHandler` and `@QueryHandler` were given is the only message among the metadata of a class.
  return [...classes].flatMap((handler) =>
    Reflect.getMetadataKeys(handler)
      .map((key): unknown => Reflect.getMetadata(key, handler))
      .filter(isMessage),
  );
}

function isMessage(one: unknown): one is Class {
  return typeof one === 'function' && (one.prototype instanceof Command || one.prototype instanceof Query);
}

/** Every command and query class of the business modules, as its source exports it. */
function declaredMessages(): Class[] {
  const libs = join(__dirname, '../../libs');
  const files = readdirSync(libs, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\/src\/(api|.*handlers?)\.ts$/.test(path),
  );
  const exported = files.flatMap((path) =>
    Object.values(jest.requireActual<Record<string, unknown>>(join(libs, path))),
  );
  return [...new Set(exported.filter(isMessage))];
}

const names = (classes: readonly Class[]): string[] => classes.map(({ name }) => name).sort();

describe('every command and every query', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it('has exactly one handler', () => {
    const declared = declaredMessages();
    expect(declared.length).toBeGreaterThan(15);
    expect(names(handledMessages(service.app))).toEqual(names(declared));
  });

  it('crosses from one library to another, or comes from a caller', () => {
    const sources = sourceFiles(['libs', 'apps'], (path) => /\/src\/.*(?<!\.spec)\.ts$/.test(path));
    const isCalled = (name: string): boolean => {
      const about = new RegExp(`\\bnew ${name}\\(|\\bexport class ${name} |@(Command|Query)Handler\\(${name}\\)`);
      const paths = sources.filter(({ text }) => about.test(text)).map(({ path }) => path);
      const libraries = new Set(paths.map((path) => path.split('/', 2)[1]));
      return libraries.size > 1 || paths.some((path) => /\.(controller|endpoint)\.ts$/.test(path));
    };
    expect(names(declaredMessages()).filter((name) => !isCalled(name))).toEqual([]);
  });

  it('has a name of its own', () => {
    const all = names(declaredMessages());
    expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
  });

  it('is registered with its bus', () => {
    const carried = [CommandBus, QueryBus].map(
      (bus) => Reflect.get(service.app.get(bus), 'handlers') as Map<string, unknown>,
    );
    expect((carried[0]?.size ?? 0) + (carried[1]?.size ?? 0)).toBe(declaredMessages().length);
  });
});

// @nestjs/cqrs silently lets the last of two handlers win: the test above must notice that.
describe('two handlers of one command', () => {
  class Act extends Command<void> {}

  @CommandHandler(Act)
  class First implements ICommandHandler<Act> {
    execute(): Promise<void> {
      return Promise.resolve();
    }
  }

  @CommandHandler(Act)
  class Second extends First {}

  @Module({ imports: [CqrsModule.forRoot()], providers: [First, Second] })
  class Doubled {}

  it('are both detected', async () => {
    const app = await Test.createTestingModule({ imports: [Doubled] }).compile();
    await app.init();
    expect(names(handledMessages(app))).toEqual(['Act', 'Act']);
    await app.close();
  });
});
