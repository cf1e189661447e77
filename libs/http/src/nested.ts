import type { Type } from '@nestjs/common';
import 'reflect-metadata';

const key = 'sealwright:nested';

/** Says of which class a member of a DTO is, or each item of it when it is a list. */
export function Nested(type: () => Type<object>): PropertyDecorator {
  return (target, member) => {
    Reflect.defineMetadata(key, type, target, member);
  };
}

/** The class that {@link Nested} gave a member; `undefined` for any other one. */
export function nestedTypeOf(dto: Type<object>, member: string): Type<object> | undefined {
  const type = Reflect.getMetadata(key, dto.prototype as object, member) as (() => Type<object>) | undefined;
  return type?.();
}
