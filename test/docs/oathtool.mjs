import { argv, stdout } from 'node:process';
import { Secret, TOTP } from 'otpauth';

/** Stands for `oathtool --totp --base32 SECRET`: prints the code of now. */
stdout.write(`${new TOTP({ secret: Secret.fromBase32(argv.at(-1) ?? '') }).generate()}\n`);
