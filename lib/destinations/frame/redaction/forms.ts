/** Levels of nested JSON: a JSON value in a JSON request in a JSON error. */
const jsonLevelsMax = 3;

/**
 * The texts that disclose `secret`: unchanged, in (nested) JSON, in HTML and XML, in a URL or a form, in base64 at each of the three
 * offsets, plain and URL-safe, and in hexadecimal digits. Padding, and base64 characters that depend on neighbouring bytes, are left
 * out.
 */
export function formsOf(secret: string): ReadonlySet<string> {
  const inJson = jsonForms(secret);
  const encoded = [secret, ...inJson.slice(0, 1)].flatMap((text) => {
    const bytes = Buffer.from(text);
    return [...urlForms(text), ...base64Forms(bytes), ...hexForms(bytes)];
  });
  return new Set([secret, ...inJson, ...markupForms(secret), ...encoded]);
}

function jsonForms(secret: string): readonly string[] {
  const forms: string[] = [];
  let text = secret;
  for (let level = 0; level < jsonLevelsMax; level += 1) {
    text = JSON.stringify(text).slice(1, -1);
    forms.push(text, text.replace(/[\u007f-\uffff]/g, escaped), text.replaceAll('/', '\\/'));
  }
  return forms;
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

function markupForms(secret: string): readonly string[] {
  const basic = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = basic.replaceAll('"', '&quot;');
  return [basic, quoted, ...['&#39;', '&#x27;', '&apos;'].map((quote) => quoted.replaceAll("'", quote))];
}

function urlForms(text: string): readonly string[] {
  const segment = encodeURIComponent(text.toWellFormed());
  const strict = segment.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const upper = [segment, strict, encodeURI(text.toWellFormed()), strict.replaceAll('%20', '+')];
  return upper.flatMap((form) => [form, form.replace(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase())]);
}

function base64Forms(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const form = text.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function hexForms(bytes: Buffer): readonly string[] {
  const text = bytes.toString('hex');
  return [text, text.toUpperCase()];
}
