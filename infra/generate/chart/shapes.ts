/** Parts of a JSON schema, as far as the chart needs them. */
export type Schema = Readonly<Record<string, unknown>>;

export const text: Schema = { type: 'string' };
export const flag: Schema = { type: 'boolean' };
export const scalar: Schema = { type: ['string', 'number', 'boolean'] };
/** A value that the orchestrator's own schema describes. */
export const object: Schema = { type: 'object' };

export const whole = (least: number): Schema => ({ type: 'integer', minimum: least });
export const oneOf = (...values: readonly string[]): Schema => ({ type: 'string', enum: values });
export const list = (items: Schema): Schema => ({ type: 'array', items });
export const map = (values: Schema): Schema => ({ type: 'object', additionalProperties: values });

/** An object with these members and no others. */
export const closed = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: 'object',
  ...(required.length > 0 ? { required } : {}),
  properties,
  additionalProperties: false,
});

/** A key of a secret. */
export const reference: Schema = closed({ name: { ...text, minLength: 1 }, key: { ...text, minLength: 1 } }, [
  'name',
  'key',
]);
