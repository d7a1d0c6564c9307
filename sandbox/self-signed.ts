import { generateKeyPairSync, sign } from 'node:crypto';

/** A certificate with its key, both in PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A new certificate for 127.0.0.1 that nothing vouches for (RFC 5280 §4.1, DER by hand). */
export function selfSigned(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const ecdsaWithSha256 = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
  const commonName = sequence(
    der(0x06, Buffer.from('550403', 'hex')),
    der(0x0c, Buffer.from('nobody vouches for this')),
  );
  const name = sequence(der(0x31, commonName));
  const addresses = sequence(der(0x87, Buffer.from([127, 0, 0, 1])));
  const alternativeName = sequence(der(0x06, Buffer.from('551d11', 'hex')), der(0x04, addresses));
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(der(0x17, Buffer.from('250101000000Z')), der(0x17, Buffer.from('491231235959Z'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternativeName)),
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', toBeSigned, privateKey)]));
  const certificate = sequence(toBeSigned, ecdsaWithSha256, signature);
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);

/** A tag, the length, and the content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}
