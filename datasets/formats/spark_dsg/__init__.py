"""Scene graphs of Spark-DSG and Hydra."""
