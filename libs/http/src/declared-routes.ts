import { Body, Controller, HttpCode, Module, Patch, RequestMethod, type Type } from '@nestjs/common';

// Nest exports no names of the keys under which its decorators keep what they are told. The decorators themselves show
// them: each value that is declared here stands under one key.
@Controller('a-controller')
class Sample {
  @Patch('a-method')
  @HttpCode(299)
  method(@Body() body: unknown): unknown {
    return body;
  }
}

@Module({ controllers: [Sample] })
class SampleModule {}

const sampleMethod = methodOf(Sample, 'method');
const pathKey = keyOf((value) => value === 'a-method', sampleMethod);
const verbKey = keyOf((value) => value === RequestMethod.PATCH, sampleMethod);
const statusKey = keyOf((value) => value === 299, sampleMethod);
const controllersKey = keyOf((value) => Array.isArray(value) && value[0] === Sample, SampleModule);
/** Of an object with a member for each decorated parameter, named by its kind and its place: `3:0`. */
const parametersKey = keyOf((value) => typeof value === 'object', Sample, 'method');
const [bodyKind] = Object.keys(Reflect.getMetadata(parametersKey, Sample, 'method') as object).map(kindOf);

/** The controllers that a module declares. */
export function controllersOf(module: Type<object>): readonly Type<object>[] {
  return (Reflect.getMetadata(controllersKey, module) as Type<object>[] | undefined) ?? [];
}

/** What `@Controller`, or a decorator such as `@Get`, was given as paths; one empty text when it was given none. */
export function declaredPaths(target: object): readonly string[] {
  const path = Reflect.getMetadata(pathKey, target) as string | readonly string[] | undefined;
  return [path ?? ''].flat();
}

/** In upper case; `undefined` for a method that answers no requests. */
export function declaredVerb(method: object): string | undefined {
  const verb = Reflect.getMetadata(verbKey, method) as RequestMethod | undefined;
  return verb === undefined ? undefined : RequestMethod[verb];
}

/** What `@HttpCode` says. */
export function declaredStatus(method: object): number | undefined {
  return Reflect.getMetadata(statusKey, method) as number | undefined;
}

/** The class of the parameter with `@Body()`, when a controller's method has one. */
export function bodyClassOf(controller: Type<object>, name: string): Type<object> | undefined {
  const parameters = (Reflect.getMetadata(parametersKey, controller, name) ?? {}) as Record<string, { index: number }>;
  const body = Object.entries(parameters).find(([key]) => kindOf(key) === bodyKind);
  const types = Reflect.getMetadata('design:paramtypes', controller.prototype as object, name) as Type<object>[];
  return body && types[body[1].index];
}

function kindOf(parameter: string): string | undefined {
  return parameter.split(':')[0];
}

function methodOf(controller: Type<object>, name: string): object {
  return Object.getOwnPropertyDescriptor(controller.prototype, name)?.value as object;
}

function keyOf(holds: (value: unknown) => boolean, target: object, name?: string): string {
  const read = (key: string): unknown =>
    name === undefined ? Reflect.getMetadata(key, target) : Reflect.getMetadata(key, target, name);
  const all = name === undefined ? Reflect.getMetadataKeys(target) : Reflect.getMetadataKeys(target, name);
  const key = (all as string[]).find((one) => holds(read(one)));
  if (key === undefined) throw new Error('Nest keeps what its decorators are told elsewhere: declared-routes.ts.');
  return key;
}
