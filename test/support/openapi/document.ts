import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Json } from '../http/requests';

export type Schema = Json;

const fileTypes = ['text/csv', 'image/png'] as const;

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  /** The media type of a body that is a file. */
  readonly fileType: (typeof fileTypes)[number] | undefined;
  readonly answers: Readonly<Record<string, Answer>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
  /** What explorers fill in. */
  readonly example?: unknown;
}

export interface Body {
  readonly schema: Schema;
  readonly examples: readonly Json[];
  readonly accepts: ValidateFunction;
}

export interface Answer {
  readonly mediaTypes: readonly string[];
  /** Whether a JSON body is as documented. */
  readonly accepts: ValidateFunction | undefined;
  readonly problems: readonly string[];
  readonly headers: readonly string[];
}

/** An OpenAPI document as a client reads it. */
export class OpenApiDocument {
  readonly operations: readonly Operation[];
  private readonly ajv = addFormats(new Ajv2020({ strict: false, allErrors: false, logger: false }));

  constructor(private readonly document: Json) {
    this.ajv.addSchema({ $id: 'document', ...document });
    this.operations = Object.entries(document['paths'] as Record<string, Json>).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => this.read(path, method, operation as Json)),
    );
  }

  /** The object behind a reference, or the object itself. */
  resolve(value: Json): Json {
    const reference = value['$ref'];
    if (typeof reference !== 'string') return value;
    const steps = reference.slice(2).split('/');
    return steps.reduce<Json>((found, step) => found[step] as Json, this.document);
  }

  private read(path: string, method: string, operation: Json): Operation {
    const parameters = (operation['parameters'] as Json[]).map((one) => this.resolve(one));
    return {
      id: String(operation['operationId']),
      method: method.toUpperCase(),
      path,
      parameters: parameters as unknown as Parameter[],
      body: this.bodyOf(operation['requestBody'] as Json | undefined),
      fileType: fileTypes.find((type) => JSON.stringify(operation['requestBody'] ?? {}).includes(`"${type}"`)),
      answers: Object.fromEntries(
        Object.entries(operation['responses'] as Record<string, Json>).map(([status, one]) => [
          status,
          this.answer(this.resolve(one)),
        ]),
      ),
    };
  }

  private bodyOf(requestBody: Json | undefined): Body | undefined {
    const content = requestBody?.['content'] as Record<string, Json> | undefined;
    const json = content?.['application/json'];
    if (!json) return undefined;
    const schema = json['schema'] as Schema;
    const examples = Object.values(json['examples'] as Record<string, Json>).map(({ value }) => value as Json);
    return { schema: this.resolve(schema), examples, accepts: this.compile(schema) };
  }

  private answer(response: Json): Answer {
    const content = (response['content'] ?? {}) as Record<string, Json>;
    const schema = content['application/json']?.['schema'] as Schema | undefined;
    return {
      mediaTypes: Object.keys(content),
      accepts: schema && this.compile(schema),
      problems: Object.keys(content['application/problem+json']?.['examples'] ?? {}),
      headers: Object.keys(response['headers'] ?? {}),
    };
  }

  /** References lead into the document, whose own name for itself is `document`. */
  private compile(schema: Schema): ValidateFunction {
    const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
    return this.ajv.compile(JSON.parse(text) as Schema);
  }
}
