import type { ProblemSlug } from '@app/problem-details';

/** JSON Schema 2020-12, as OpenAPI 3.1 has it. */
export type Schema = Readonly<Record<string, unknown>>;

export interface ParameterDescription {
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

/** What a body says beyond what the validators of its DTO tell. */
export interface BodyDescription {
  /** One for each member; with a type for those that no validator describes. */
  readonly members: Readonly<Record<string, Schema>>;
  /** Rules between the members. */
  readonly rules?: Schema;
  readonly examples: Readonly<Record<string, unknown>>;
  /** Whether the request may come without a body. */
  readonly optional?: boolean;
}

export interface AnswerDescription {
  readonly status: 200 | 201 | 204;
  readonly description: string;
  /** Of the JSON body; absent when there is none. */
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly headers?: readonly ('Location' | 'ETag')[];
  /** Media types beside JSON, or instead of it when there is no schema. */
  readonly mediaTypes?: readonly string[];
}

export interface OperationDescription {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly body?: BodyDescription;
  /** The parameters that are known; every other one is refused. */
  readonly query?: Readonly<Record<string, ParameterDescription>>;
  /** Takes `If-Match`. */
  readonly conditional?: boolean;
  readonly answers: readonly AnswerDescription[];
  /** Beside those that every operation of its kind can answer. */
  readonly problems?: readonly ProblemSlug[];
}

/** What the documentation says about one controller of the management API; kept in a file beside it. */
export interface ControllerDescription {
  readonly tag: string;
  readonly description: string;
  /** Of the path, by name. */
  readonly parameters: Readonly<Record<string, ParameterDescription>>;
  /** Schemas that operations refer to, by their name in the document. */
  readonly schemas: Readonly<Record<string, Schema>>;
  /** By the name of the method. */
  readonly operations: Readonly<Record<string, OperationDescription>>;
}

const metadataKey = 'sealwright:description';

/** Describes a controller: the document is made from it, and query parameters it does not name are refused. */
export function Described(description: ControllerDescription): ClassDecorator {
  return (controller) => {
    Reflect.defineMetadata(metadataKey, description, controller);
  };
}

export function descriptionOf(controller: object): ControllerDescription | undefined {
  return Reflect.getMetadata(metadataKey, controller) as ControllerDescription | undefined;
}
