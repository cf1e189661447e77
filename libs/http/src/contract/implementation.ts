import {
  applyDecorators,
  Controller,
  HttpCode,
  Inject,
  Req,
  RequestMapping,
  RequestMethod,
  SetMetadata,
} from '@nestjs/common';
import { LimitBody } from '../body/body-limits';
import type { HttpReply } from '../context/http-reply';
import { RequiresCaller, RequiresScope } from '../context/access-decision';
import { CountsAs, StopsWith } from '../context/tenant-standing';
import type { Received } from './input';
import { type Answer, type Input, type Operation, usualStatusOf } from './operation';
import { OperationAnswers } from './operation-answers';

/** Where a controller has what answers its operations. */
const answers = Symbol('answers');
const operationsKey = 'sealwright:operations';
const contractKey = 'sealwright:contract';

/** The operation that a controller's method implements; `undefined` outside of the management API. */
export function contractOf(method: object): Operation | undefined {
  return Reflect.getMetadata(contractKey, method) as Operation | undefined;
}

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
    Inject(OperationAnswers)(controller.prototype as object, answers);
    applyDecorators(Controller(path), SetMetadata(operationsKey, all))(controller);
  };
}

/** The operations that a controller implements; none for a controller outside of the management API. */
export function operationsOf(controller: object): readonly Operation[] {
  return (Reflect.getMetadata(operationsKey, controller) as readonly Operation[] | undefined) ?? [];
}

type Given<C extends Operation> = Answer<C> | HttpReply;

/** On a method: it gets the checked {@link Input} of this operation, and answers for it. */
export function Implements<C extends Operation>(operation: C) {
  const { method, path, resource, scope, bodyLimit, makesNew } = operation;
  const decorate = applyDecorators(
    RequestMapping({ method: RequestMethod[method], path: path.slice(resource.path.length) }),
    HttpCode(usualStatusOf(operation)),
    scope === 'any' ? RequiresCaller() : RequiresScope(scope),
    SetMetadata(contractKey, operation),
    ...(bodyLimit ? [LimitBody(bodyLimit)] : []),
    ...(makesNew ? [StopsWith('issuing')] : []),
    ...(makesNew === 'offers' ? [CountsAs('offers')] : []),
  );
  return <Method extends (input: Input<C>) => Given<C> | Promise<Given<C>>>(
    controller: object,
    name: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    const work = descriptor.value;
    if (!work) throw new Error(`${name} is no method.`);
    const replaced = descriptor as TypedPropertyDescriptor<unknown>;
    replaced.value = function (this: { readonly [answers]: OperationAnswers }, request: Received) {
      return this[answers].answer(operation, request, (input) => work.call(this, input));
    };
    decorate(controller, name, replaced);
    Req()(controller, name, 0);
  };
}
