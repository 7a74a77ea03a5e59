import { expect, test } from 'vitest';
import { compileTemplate, type TemplateInput } from '#sync/template/template.ts';

const input: TemplateInput = {
  DestinationType: 'repo-host',
  DestinationName: 'ci',
  NamespacePath: '',
  NamespaceBaseName: '',
  NamespaceID: 'root',
  MountPath: 'team/secret',
  MountBaseName: 'secret',
  MountAccessor: 'kv_12ab34cd',
  SecretPath: 'app/db/main',
  SecretBaseName: 'main',
  SecretKey: 'password',
};

const render = (text: string) => compileTemplate(text).render(input);

test.each([
  ['plain', 'plain'],
  ['', ''],
  ['{{ .SecretPath }}', 'app/db/main'],
  ['{{.SecretPath}}', 'app/db/main'],
  ['vault/{{ .MountAccessor }}/{{ .SecretPath }}', 'vault/kv_12ab34cd/app/db/main'],
  ['{{ .SecretPath | uppercase }}', 'APP/DB/MAIN'],
  ['{{ uppercase .SecretPath }}', 'APP/DB/MAIN'],
  ['{{ .SecretPath | replace "/" "_" | uppercase }}', 'APP_DB_MAIN'],
  ['{{ replace `/` `-` .SecretPath }}', 'app-db-main'],
  ['{{ (.SecretPath | uppercase) | lowercase }}', 'app/db/main'],
  ['{{ replace (lowercase "APP") "x" .SecretPath }}', 'x/db/main'],
  ['{{ $x := .SecretKey }}{{ .SecretBaseName }}-{{ $x }}', 'main-password'],
  ['{{ $x := "a" }}{{ $x = "b" }}{{ $x }}', 'b'],
  ['{{ if .SecretKey }}key{{ end }}', 'key'],
  ['{{ if .NamespacePath }}ns{{ else }}root{{ end }}', 'root'],
  ['{{ if eq .SecretKey "user" }}u{{ else if eq .SecretKey "password" }}p{{ else }}o{{ end }}', 'p'],
  ['{{ if and (hasprefix "app/" .SecretPath) (not .NamespacePath) }}yes{{ end }}', 'yes'],
  ['{{ if or .NamespacePath .SecretKey }}yes{{ end }}', 'yes'],
  ['{{ if ne .SecretKey "password" }}no{{ end }}', ''],
  ['a  {{- .SecretKey -}}  b', 'apasswordb'],
  ['a{{/* nothing */}}b', 'ab'],
  ['{{ truncate 3 .SecretPath }}', 'app'],
  ['{{ len .SecretKey }}', '8'],
  ['{{ "a\\tb\\"" }}', 'a\tb"'],
  ['{{ trimprefix "app/" .SecretPath | trimsuffix "/main" }}', 'db'],
  ['{{ base64 "hi" }}', 'aGk='],
])('%s renders %s', (text, expected) => {
  expect(render(text)).toBe(expected);
});

test('truncate_sha256 gives names of the requested length that stay distinct', () => {
  const one = render('{{ truncate_sha256 20 "a-very-long-name-that-ends-in-one" }}');
  const two = render('{{ truncate_sha256 20 "a-very-long-name-that-ends-in-two" }}');
  expect(one).toHaveLength(20);
  expect(one).not.toBe(two);
});

test.each([
  ['{{ .Nope }}', /unknown field \.Nope: the fields are \.DestinationType/],
  ['{{ nope .SecretKey }}', /unknown function nope/],
  ['{{ random 8 }}', /unknown function random/],
  ['{{ .SecretKey', /not closed/],
  ['{{ }}', /action is empty/],
  ['{{ if .SecretKey }}x', /without \{\{ end \}\}/],
  ['{{ end }}', /\{\{ end \}\} without/],
  ['{{ else }}', /\{\{ else \}\} without/],
  ['{{ .SecretKey | "x" }}', /expected a function after \|/],
  ['{{ .SecretKey | }}', /missing/],
  ['{{ replace "a" .SecretKey }}', /replace takes 3 arguments, not 2/],
  ['{{ truncate "a" .SecretKey }}', /LENGTH has to be a whole number/],
  ['{{ $x }}', /\$x is used before it is set/],
  ['{{ (.SecretKey }}', /a closing \) is missing/],
  ['{{ .SecretKey .SecretPath }}', /should end here/],
  ['{{ "open }}', /unexpected/],
  ['{{ if true }}{{ $x := "a" }}{{ end }}{{ if false }}{{ $y := "b" }}{{ end }}{{ $y }}', /\$y has no value here/],
  [`${'{{ if true }}'.repeat(40)}x${'{{ end }}'.repeat(40)}`, /nested deeper than 32/],
])('%s is refused with its reason', (text, reason) => {
  expect(() => render(text)).toThrow(reason);
});

test('a reference inside a condition, an argument or an assignment counts as a mention', () => {
  expect(compileTemplate('{{ $unused := .SecretKey }}{{ .SecretBaseName }}').mentions('SecretKey')).toBe(true);
  expect(compileTemplate('{{ if (eq .SecretKey "a") }}a{{ end }}').mentions('SecretKey')).toBe(true);
  expect(compileTemplate('{{ .SecretPath }}').mentions('SecretKey')).toBe(false);
});
