import { parseStrictJson } from '@app/credentials';
import { Problem, Violation } from '@app/problem-details';
import { ArgumentMetadata, Injectable, PipeTransform, Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync, ValidationError } from 'class-validator';
import { RawBody } from './raw-body';

/**
 * Parses a management body into its DTO: JSON of the right media type, only known members, every fault at once with
 * its JSON Pointer. Used as a global pipe; it leaves alone what is no body or has no DTO class.
 */
@Injectable()
export class JsonBodyPipe implements PipeTransform {
  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    if (metadata.type !== 'body' || !(value instanceof RawBody) || !isDto(metadata.metatype)) return value;
    return validated(metadata.metatype, parseJsonObject(value));
  }
}

function isDto(metatype: Type<unknown> | undefined): metatype is Type<object> {
  return metatype !== undefined && metatype !== RawBody && metatype !== Object;
}

/** The JSON object in a management body. Throws `payload-too-large`, `unsupported-media-type` or `malformed-json`. */
function parseJsonObject(body: RawBody): Record<string, unknown> {
  if (!body.bytes) {
    throw new Problem('payload-too-large', `The body is larger than ${body.limit} bytes.`);
  }
  if (body.bytes.length === 0) return {};
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
  return parsed as Record<string, unknown>;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : 'unreadable';
}

function validated(dto: Type<object>, plain: Record<string, unknown>): object {
  const instance = plainToInstance(dto, plain, { exposeDefaultValues: true });
  const faults = validateSync(instance, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false });
  if (faults.length === 0) return instance;
  const violations = faults.flatMap((fault) => violationsOf(fault, ''));
  throw new Problem('validation-failed', `The body has ${violations.length} fault(s); see violations.`, violations);
}

function violationsOf(fault: ValidationError, parent: string): Violation[] {
  const pointer = `${parent}/${fault.property.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const own = Object.entries(fault.constraints ?? {}).map(([rule, message]) => ({
    pointer,
    message: rule === 'whitelistValidation' ? 'This member is not known here.' : message,
  }));
  return [...own, ...(fault.children ?? []).flatMap((child) => violationsOf(child, pointer))];
}
