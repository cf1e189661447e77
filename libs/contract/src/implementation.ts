import { LimitBody } from '@app/http';
import { RequiresScope } from '@app/web';
import {
  applyDecorators,
  Controller,
  HttpCode,
  RequestMapping,
  RequestMethod,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import { ReadInput } from './input';
import { contractKey, contractOf } from './contract-of';
import { type Input, type Operation, usualStatusOf } from './operation';
import { OperationInterceptor } from './operation.interceptor';

const operationsKey = 'sealwright:operations';

/** On a controller: its methods implement these operations, each of them. */
export function Resource(operations: Readonly<Record<string, Operation>>): ClassDecorator {
  const all = Object.values(operations);
  const [first] = all;
  if (!first) throw new Error('A resource needs an operation.');
  const { path } = first.resource;
  return (controller) => {
    const methods = Object.values(Object.getOwnPropertyDescriptors(controller.prototype as object));
    const implemented = methods.map(({ value }) =>
      typeof value === 'function' ? contractOf(value as object) : undefined,
    );
    const missing = all.find((operation) => !implemented.includes(operation));
    if (missing) throw new Error(`${controller.name} does not implement ${missing.id}.`);
    applyDecorators(Controller(path), SetMetadata(operationsKey, all))(controller);
  };
}

/** The operations that a controller implements; none for a controller outside of the management API. */
export function operationsOf(controller: object): readonly Operation[] {
  return (Reflect.getMetadata(operationsKey, controller) as readonly Operation[] | undefined) ?? [];
}

/** On a method: it gets the checked {@link Input} of this operation, and answers for it. */
export function Implements<C extends Operation>(operation: C) {
  const { method, path, resource, scope, bodyLimit } = operation;
  const decorate = applyDecorators(
    RequestMapping({ method: RequestMethod[method], path: path.slice(resource.path.length) }),
    HttpCode(usualStatusOf(operation)),
    RequiresScope(scope),
    SetMetadata(contractKey, operation),
    ...(bodyLimit ? [LimitBody(bodyLimit)] : []),
    UseInterceptors(OperationInterceptor),
  );
  return <Method extends (input: Input<C>) => unknown>(
    controller: object,
    name: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    decorate(controller, name, descriptor as TypedPropertyDescriptor<unknown>);
    ReadInput(operation)(controller, name, 0);
  };
}
