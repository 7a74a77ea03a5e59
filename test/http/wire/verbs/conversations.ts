import fc from 'fast-check';

export const head = 'Host: x\r\nX-Service-Token: root\r\n';
const inside = [
  'LIST /v1/x HTTP/1.1\r\n\r\n',
  '\r\n\r\nHELP / HTTP/1.1\r\n\r\n',
  '"LI',
  'SCAN',
  '',
  'x'.repeat(5_000),
  '\0',
];
/** A JSON body with text that looks like requests. */
const body = fc.array(fc.constantFrom(...inside), { maxLength: 4 }).map((texts) => JSON.stringify({ texts }));
const hex = fc
  .boolean()
  .map((upper) => (size: number) => (upper ? size.toString(16).toUpperCase() : size.toString(16)));

const framed = fc.oneof(
  body.map((text) => `Content-Length: ${text.length}\r\n\r\n${text}`),
  fc
    .tuple(body, fc.integer({ min: 1, max: 900 }), hex, fc.constantFrom('', ';note=LIST'))
    .map(([text, size, asHex, note]) => {
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const chunks = pieces.map((piece) => `${asHex(piece.length)}${note}\r\n${piece}\r\n`).join('');
      return `Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\nLIST: /trailer\r\n\r\n`;
    }),
);

const bare = fc.constantFrom(
  `LIST /v1/secret HTTP/1.1\r\n${head}\r\n`,
  `LIST /v1/nowhere?x=LIST HTTP/1.1\r\n${head}\r\n`,
  `GET /v1/secret?list=true HTTP/1.1\r\n${head}\r\n`,
  `GET /v1/sys/flat HTTP/1.1\r\n${head}\r\n`,
  `HELP /v1/secret/a HTTP/1.1\r\n${head}\r\n`,
  `SCAN /v1/secret HTTP/1.1\r\n${head}\r\n`,
  `LINK /v1/secret HTTP/1.1\r\n${head}\r\n`,
  `COPY /v1/secret HTTP/1.1\r\n${head}\r\n`,
  `DELETE /v1/secret/none HTTP/1.1\r\n${head}\r\n`,
  `LIST /v1/secret HTTP/1.1\r\n${head}Content-Length: 16\r\n\r\nLIST /x HTTP/1.1`,
);
const request = fc.oneof(
  bare,
  framed.map((rest) => `PUT /v1/secret/a HTTP/1.1\r\n${head}${rest}`),
  framed.map((rest) => `LIST /v1/secret HTTP/1.1\r\n${head}${rest}`),
);
/** Requests, and the verb of a further one that ends the connection. */
export const conversation = fc.tuple(
  fc.array(
    fc.tuple(fc.constantFrom('', '', '\r\n', '\r\n\r\n'), request).map((parts) => parts.join('')),
    { maxLength: 6 },
  ),
  fc.constantFrom('LIST', 'GET', 'SCAN'),
);
/** Sizes of the pieces in which bytes are sent. */
export const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 10, max: 3_000 })), {
  minLength: 1,
  maxLength: 6,
});
