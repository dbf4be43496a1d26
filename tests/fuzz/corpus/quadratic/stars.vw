1 |a x\ x\* *a a* ** |\ b
