import { expect, test } from 'vitest';
import { tagPattern, tagsOf, withoutTag, withTag } from './tags.ts';

test('tags are words that begin with #', () => {
  expect(tagsOf('#Garten im März #kloster, a#b ##c https://example.com/#d\n#日本')).toEqual(['#Garten', '#kloster', '#日本']);
});

test('a tag is added once, on a line of tags', () => {
  expect(withTag('', '#garden')).toBe('#garden');
  expect(withTag('An old garden. \n', '#garden')).toBe('An old garden.\n#garden');
  expect(withTag('An old garden.\n#roses', '#garden')).toBe('An old garden.\n#roses #garden');
  expect(withTag('My #Garden here', '#garden')).toBe('My #Garden here');
  expect(withTag('#gardens', '#garden')).toBe('#gardens #garden');
});

test('a removed tag leaves the words', () => {
  expect(withoutTag('An old garden.\n#roses #Garden #gardens', '#garden')).toBe('An old garden.\n#roses #gardens');
  expect(withoutTag('My #garden, in bloom', '#garden')).toBe('My, in bloom');
  expect(withoutTag('#garden', '#garden')).toBe('');
  expect(withoutTag('garden a#garden', '#garden')).toBe('garden a#garden');
});

test('the pattern of a field is what the gallery links', () => {
  const whole = new RegExp(`^(?:${tagPattern})$`, 'v');
  for (const tag of ['#garden', 'Gärten_2', '庭', 'x'.repeat(50)]) expect(whole.test(tag)).toBe(true);
  for (const word of ['', '#', 'two words', 'a-b', '##a', 'x'.repeat(51)]) expect(whole.test(word)).toBe(false);
});
