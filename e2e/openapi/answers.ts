import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Document, type Operation, resolved, type Schema } from './document.ts';

export interface GivenAnswer {
  status: number;
  contentType: string;
  text: string;
}

/** Checks answers against the document. */
export class Answers {
  private readonly ajv = new Ajv2020({ strict: false, validateFormats: false });
  private readonly compiled = new Map<Schema, ValidateFunction>();

  constructor(private readonly document: Document) {
    this.ajv.addSchema(document as object, 'openapi');
  }

  /** The problem with an answer, or undefined. */
  problemWith({ responses }: Operation, { status, contentType, text }: GivenAnswer): string | undefined {
    if (status >= 500) return 'an error of the server';
    const documented = responses[String(status)];
    if (!documented) return `status ${status} is not in the document`;
    const { content } = resolved(this.document, documented);
    if (!content) return text === '' ? undefined : 'a body, although the document has none';
    const type = contentType.split(';', 1)[0] as string;
    const schema = content[type]?.schema;
    if (schema) return this.mismatch(schema, type.includes('json') ? (JSON.parse(text) as unknown) : text);
    // A value, in the format that its device chose.
    if (content['*/*']?.schema) return this.mismatch(content['*/*'].schema, text);
    return `content type "${contentType}" is not in the document`;
  }

  private mismatch(schema: Schema, value: unknown): string | undefined {
    let validate = this.compiled.get(schema);
    if (!validate) {
      // References must resolve to the whole document.
      const text = JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/');
      validate = this.ajv.compile(JSON.parse(text) as object);
      this.compiled.set(schema, validate);
    }
    return validate(value) ? undefined : this.ajv.errorsText(validate.errors);
  }
}
