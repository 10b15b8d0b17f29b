// What has the focus on a page, for the scripts that use the keyboard alone.

// focusedOn describes the element that has the focus, and reports whether people see that. It marks the element as seen.
export function focusedOn(page) {
  return page.evaluate(() => {
    const element = document.activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    const again = element.dataset.seen === 'yes';
    element.dataset.seen = 'yes';
    return {
      again,
      name: `${element.tagName.toLowerCase()} ${(element.getAttribute('aria-label') || element.textContent || element.id).trim().slice(0, 40)}`,
      tag: element.tagName,
      type: element.type ?? '',
      role: element.getAttribute('role'),
      inMain: !!element.closest('main, dialog'),
      popup: element.getAttribute('popovertarget') !== null,
      disabled: element.ariaDisabled === 'true',
      download: element.hasAttribute('download'),
      outlined: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
      inView: box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
    };
  });
}
