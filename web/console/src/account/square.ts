/** The width and height of the pictures of accounts, in pixels. */
const size = 256;

/**
 * Returns the square at the centre of an image file as a JPEG in base64, so that a photo of many
 * megabytes becomes a small request. Throws where the browser cannot decode the file.
 */
export async function squareOf(file: Blob): Promise<string> {
  const image = await createImageBitmap(file); // turns photos upright
  const side = Math.min(image.width, image.height);
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = size;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas');
  context.imageSmoothingQuality = 'high';
  context.fillStyle = '#fff';
  context.fillRect(0, 0, size, size);
  context.drawImage(image, (image.width - side) / 2, (image.height - side) / 2, side, side, 0, 0, size, size);
  image.close();
  const url = canvas.toDataURL('image/jpeg', 0.92);
  return url.slice(url.indexOf(',') + 1);
}
