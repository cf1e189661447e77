import { Controller, Module, Patch, RequestMethod, type Type } from '@nestjs/common';

// Nest keeps what its decorators were given under these names, and exports none for them; see the check at the end.
const pathKey = 'path';
const methodKey = 'method';
const controllersKey = 'controllers';

/** One route of a controller, as decorators declare it. */
export interface DeclaredRoute {
  readonly controller: Type<object>;
  readonly handler: object;
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
  const methods = Object.values(Object.getOwnPropertyDescriptors(controller.prototype as object));
  return methods.flatMap(({ value: handler }: { value?: unknown }) => {
    if (typeof handler !== 'function') return [];
    const method = Reflect.getMetadata(methodKey, handler) as RequestMethod | undefined;
    if (method === undefined) return [];
    return pathsOf(controller).flatMap((base) =>
      pathsOf(handler).map((below) => {
        const path = `/${base}/${below}`.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
        return { controller, handler, method: RequestMethod[method], path };
      }),
    );
  });
}

function pathsOf(target: object): readonly string[] {
  return [(Reflect.getMetadata(pathKey, target) as string | readonly string[] | undefined) ?? ''].flat();
}

@Controller('sample')
class Sample {
  @Patch('one')
  one(): void {
    // Only its decorators count.
  }
}

@Module({ controllers: [Sample] })
class SampleModule {}

const [sample] = controllersOf(SampleModule).flatMap(declaredRoutes);
if (sample?.method !== 'PATCH' || sample.path !== '/sample/one') {
  throw new Error('Nest keeps what its decorators are given under other names: declared-routes.ts.');
}
