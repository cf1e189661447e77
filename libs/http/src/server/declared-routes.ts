import {
  Body,
  Controller,
  type ExceptionFilter,
  Header,
  Headers,
  HttpCode,
  Module,
  Param,
  Patch,
  Query,
  Req,
  RequestMethod,
  Res,
  type Type,
  UseGuards,
} from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';

// Nest keeps what its decorators were given under these names, and exports none for them; see the check at the end.
const pathKey = 'path';
const methodKey = 'method';
const controllersKey = 'controllers';
const argumentsKey = '__routeArguments__';
const statusKey = '__httpCode__';
const headersKey = '__headers__';
const filtersKey = '__exceptionFilters__';
/** What Nest would do for each request, which nothing here does. */
const refused = ['__guards__', '__pipes__', '__interceptors__', '__redirect__', '__renderTemplate__', '__sse__'];

/** What a method can be called with, by Nest's number of the decorator. */
export const argumentKinds = { request: 0, response: 1, body: 3, query: 4, param: 5, headers: 6 } as const;

/** One route of a controller, as decorators declare it. */
export interface DeclaredRoute {
  readonly controller: Type<object>;
  readonly handler: (...given: unknown[]) => unknown;
  /** Of the method. */
  readonly name: string;
  /** In upper case. */
  readonly method: string;
  /** With parameters as `:offerId`. */
  readonly path: string;
}

/** The controllers that a module declares. */
export function controllersOf(module: Type<object>): readonly Type<object>[] {
  return (Reflect.getMetadata(controllersKey, module) as Type<object>[] | undefined) ?? [];
}

export function declaredRoutes(controller: Type<object>): DeclaredRoute[] {
  const methods = Object.entries(Object.getOwnPropertyDescriptors(controller.prototype as object));
  return methods.flatMap(([name, { value }]: [string, { value?: unknown }]) => {
    if (typeof value !== 'function') return [];
    const handler = value as DeclaredRoute['handler'];
    const method = Reflect.getMetadata(methodKey, handler) as RequestMethod | undefined;
    if (method === undefined) return [];
    return pathsOf(controller).flatMap((base) =>
      pathsOf(handler).map((below) => {
        const path = `/${base}/${below}`.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
        return { controller, handler, name, method: RequestMethod[method], path };
      }),
    );
  });
}

/** How a route is to be called and answered, as decorators declare it. */
export interface DeclaredAnswer {
  /** In the order of the method's parameters; `kind` is Nest's number of the decorator. */
  readonly given: readonly { readonly kind: number; readonly name: string | undefined }[];
  /** Of an answer that names none itself. */
  readonly status: number;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly filter: Type<ExceptionFilter> | undefined;
}

/** Throws for a route with guards, pipes, interceptors and the like: nobody would call them. */
export function declaredAnswer({ controller, handler, name, method }: DeclaredRoute): DeclaredAnswer {
  const found = (key: string): unknown =>
    Reflect.getMetadata(key, handler) ?? (Reflect.getMetadata(key, controller) as unknown);
  const args = Object.entries(
    (Reflect.getMetadata(argumentsKey, controller, name) ?? {}) as Record<
      string,
      { readonly index: number; readonly data?: unknown; readonly pipes: readonly unknown[] }
    >,
  ).sort(([, one], [, other]) => one.index - other.index);
  const extra = [...refused.filter((key) => found(key) !== undefined), ...args.flatMap(([, { pipes }]) => pipes)];
  if (extra.length > 0)
    throw new Error(`${controller.name}.${name} declares what is not carried out: ${extra.join()}.`);
  return {
    given: args.map(([key, { data }]) => ({ kind: parseInt(key), name: typeof data === 'string' ? data : undefined })),
    status: (found(statusKey) as number | undefined) ?? (method === 'POST' ? 201 : 200),
    headers: (found(headersKey) as DeclaredAnswer['headers'] | undefined) ?? [],
    filter: (found(filtersKey) as Type<ExceptionFilter>[] | undefined)?.[0],
  };
}

function pathsOf(target: object): readonly string[] {
  return [(Reflect.getMetadata(pathKey, target) as string | readonly string[] | undefined) ?? ''].flat();
}

class SampleGuard {
  canActivate(): boolean {
    return true;
  }
}

@Controller('sample')
class Sample {
  @Patch('one')
  @HttpCode(202)
  @Header('Vary', 'Accept')
  one(
    @Param('id') id: string,
    @Req() request: unknown,
    @Res({ passthrough: true }) response: unknown,
    @Body() body: unknown,
    @Query() query: unknown,
    @Headers('accept') accept: string,
  ): unknown {
    return { id, request, response, body, query, accept };
  }

  @Patch('two')
  @UseGuards(SampleGuard)
  two(): void {
    // Only its decorators count.
  }
}

@Module({ controllers: [Sample] })
class SampleModule {}

function sampleIsAsDeclared(): boolean {
  const [one, two] = controllersOf(SampleModule).flatMap(declaredRoutes);
  if (one?.method !== 'PATCH' || one.path !== '/sample/one' || !two) return false;
  const { param, request, response, body, query, headers } = argumentKinds;
  const given = [param, request, response, body, query, headers].map((kind) => {
    return { kind, name: kind === param ? 'id' : kind === headers ? 'accept' : undefined };
  });
  const answer = { given, status: 202, headers: [{ name: 'Vary', value: 'Accept' }], filter: undefined };
  if (!isDeepStrictEqual(declaredAnswer(one), answer)) return false;
  try {
    declaredAnswer(two);
    return false;
  } catch {
    return true;
  }
}

if (!sampleIsAsDeclared()) {
  throw new Error('Nest keeps what its decorators are given under other names: declared-routes.ts.');
}
