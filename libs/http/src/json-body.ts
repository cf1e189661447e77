import { escapePointer, parseStrictJson } from '@app/json';
import { Problem, Violation } from '@app/problem-details';
import { ArgumentMetadata, Injectable, NotFoundException, PipeTransform, Type } from '@nestjs/common';
import { validateSync, ValidationError } from 'class-validator';
import { instanceOf } from './dto-instance';
import { RawBody } from './raw-body';
import { changedNumbers, unstorable } from './storable';

/**
 * Parses a management body into its DTO: JSON of the right media type, only known members, every fault at once with
 * its JSON Pointer. Used as a global pipe; it leaves alone what is no body or has no DTO class, except that what the
 * database cannot hold gets no further in any part of a request.
 */
@Injectable()
export class JsonBodyPipe implements PipeTransform {
  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    if (metadata.type === 'param' && unstorable(value).length > 0) throw new NotFoundException();
    if (metadata.type === 'query') refuseUnstorable(unstorable(value));
    if (metadata.type !== 'body' || !(value instanceof RawBody) || !isDto(metadata.metatype)) return value;
    const { plain, text } = parseJsonObject(value);
    refuseUnstorable([...unstorable(plain), ...changedNumbers(text)]);
    return validated(metadata.metatype, plain);
  }
}

function refuseUnstorable(violations: readonly Violation[]): void {
  if (violations.length === 0) return;
  throw new Problem(
    'validation-failed',
    'The request holds what cannot be stored as it is; see violations.',
    violations,
  );
}

function isDto(metatype: Type<unknown> | undefined): metatype is Type<object> {
  return metatype !== undefined && metatype !== RawBody && metatype !== Object;
}

/** The JSON object in a management body. Throws `payload-too-large`, `unsupported-media-type` or `malformed-json`. */
function parseJsonObject(body: RawBody): { readonly plain: object; readonly text: string } {
  if (!body.bytes) {
    throw new Problem('payload-too-large', `The body is larger than ${body.limit} bytes.`);
  }
  if (body.bytes.length === 0) return { plain: {}, text: '' };
  if (body.isEncoded) {
    // RFC 9110 §12.5.3: what would have been accepted.
    const headers = { 'Accept-Encoding': 'identity' };
    throw new Problem('unsupported-media-type', 'The body must be sent without Content-Encoding.', [], headers);
  }
  if (body.mediaType !== 'application/json') {
    throw new Problem('unsupported-media-type', 'The body must be sent as application/json.');
  }
  let parsed: unknown;
  try {
    parsed = parseStrictJson(body.bytes);
  } catch (error) {
    throw new Problem('malformed-json', `The body is not acceptable JSON: ${describe(error)}.`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new Problem('malformed-json', 'The body must be one JSON object.');
  }
  return { plain: parsed, text: body.bytes.toString('utf8') };
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : 'unreadable';
}

/** An instance of a DTO class. Throws `validation-failed` with every fault. */
export function validated<T extends object>(dto: Type<T>, plain: object): T {
  const unknown: Violation[] = [];
  const instance = instanceOf(dto, plain, '', unknown);
  const violations = [...unknown, ...validateSync(instance).flatMap((fault) => violationsOf(fault, ''))];
  if (violations.length === 0) return instance as T;
  throw new Problem('validation-failed', `The body has ${violations.length} fault(s); see violations.`, violations);
}

function violationsOf(fault: ValidationError, parent: string): Violation[] {
  const pointer = `${parent}/${escapePointer(fault.property)}`;
  const own = Object.values(fault.constraints ?? {}).map((message) => ({
    pointer,
    message,
  }));
  return [...own, ...(fault.children ?? []).flatMap((child) => violationsOf(child, pointer))];
}
